package sqlite

import (
	"context"
	"database/sql/driver"

	"modernc.org/sqlite"
)

// connector opens connections without asking the global table of drivers.
type connector struct{ dsn string }

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.Driver().Open(c.dsn) }

func (c connector) Driver() driver.Driver { return &sqlite.Driver{} }
