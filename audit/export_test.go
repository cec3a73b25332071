package audit

// Datasync is the sync that journals use.
var Datasync = datasync

// SHA256 is the hash by which artifacts are named.
var SHA256 = sumOf
