// Package pond gives each test a database of its own: copies of a template that is made once.
//
// The template's name has a hash of what it is made by, so another schema is another template. Its last table says that it is
// whole: one whose making was killed is made anew.
package pond

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"os"
	"sync"
	"testing"

	_ "github.com/microsoft/go-mssqldb"
)

const schema = `
	create table people (id int identity primary key, name nvarchar(40) not null unique);
	insert people (name) values (N'Ada'), (N'Grace');`

const finished = "create table finished (at datetime2 not null default sysutcdatetime())"

var template = fmt.Sprintf("people_template_%.4x", sha256.Sum256([]byte(schema)))

// Once in this process; of several processes the first makes the template.
var makeTemplateOnce = sync.OnceValue(makeTemplate)

// Database is a copy of the template that is this test's alone. It is dropped when the test has ended, however that was.
func Database(t testing.TB) *sql.DB {
	t.Helper()
	if err := makeTemplateOnce(); err != nil {
		t.Fatalf("the template: %v", err)
	}
	master := open(t, "master")
	name := "test_" + rand.Text()
	if _, err := master.Exec("create database " + name + " as copy of " + template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Whatever a failed test has left open is ended.
		_, err := master.Exec("alter database " + name + " set single_user with rollback immediate; drop database " + name)
		if err != nil {
			t.Error(err)
		}
	})
	return open(t, name)
}

// Template is the template itself, to compare a copy with.
func Template(t testing.TB) *sql.DB {
	t.Helper()
	return open(t, template)
}

// Cleanups run last one first: a database is closed before it is dropped, and master after that.
func open(t testing.TB, database string) *sql.DB {
	t.Helper()
	db, err := connect(database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func connect(database string) (*sql.DB, error) {
	host, port := cmp.Or(os.Getenv("MSSQL_HOST"), "127.0.0.1"), cmp.Or(os.Getenv("MSSQL_PORT"), "1433")
	server := url.URL{
		Scheme:   "sqlserver",
		User:     url.UserPassword("sa", os.Getenv("MSSQL_SA_PASSWORD")),
		Host:     net.JoinHostPort(host, port),
		RawQuery: url.Values{"database": {database}, "TrustServerCertificate": {"true"}}.Encode(),
	}
	return sql.Open("sqlserver", server.String())
}

// A lock of the server's lets one at a time look whether the template is there.
func makeTemplate() error {
	ctx := context.Background()
	db, err := connect("master")
	if err != nil {
		return err
	}
	// The lock is this connection's and goes with it.
	defer db.Close()
	master, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	lock := "exec sp_getapplock @Resource = 'people_template', @LockMode = 'Exclusive', @LockOwner = 'Session'"
	if _, err := master.ExecContext(ctx, lock); err != nil {
		return err
	}
	var whole sql.NullInt32
	err = master.QueryRowContext(ctx, "select object_id(@p1)", template+".dbo.finished").Scan(&whole)
	if err != nil || whole.Valid {
		return err
	}
	_, err = master.ExecContext(ctx, "drop database if exists "+template+"; create database "+template)
	if err != nil {
		return err
	}
	unfinished, err := connect(template)
	if err != nil {
		return err
	}
	defer unfinished.Close()
	_, err = unfinished.Exec(schema + finished)
	return err
}
