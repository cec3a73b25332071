package audit

// Datasync is the sync that journals use.
var Datasync = datasync
