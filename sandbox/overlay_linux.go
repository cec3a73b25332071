package sandbox

func (p *plan) mountOverlay() error { return nil }
