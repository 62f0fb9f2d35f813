// golang-migrate: migrations up, down and step by step, one that fails and leaves its version dirty, the lock that two
// migrators share, everything dropped.
package main

import (
	"database/sql"
	"embed"
	"errors"

	"github.com/golang-migrate/migrate/v4"
	_ "github.com/golang-migrate/migrate/v4/database/sqlserver"
	"github.com/golang-migrate/migrate/v4/source/iofs"

	"millpond.invalid/orms/shared"
)

//go:embed migrations
var files embed.FS

var migrator *migrate.Migrate

func open() error {
	if err := shared.NewDatabase("migrate_check"); err != nil {
		return err
	}
	var err error
	migrator, err = newMigrator()
	return err
}

func newMigrator() (*migrate.Migrate, error) {
	source, err := iofs.New(files, "migrations")
	if err != nil {
		return nil, err
	}
	return migrate.NewWithSourceInstance("iofs", source, shared.Address("migrate_check"))
}

// at is an error unless the database stands at the version.
func at(version uint, dirty bool) error {
	found, isDirty, err := migrator.Version()
	return shared.All(err, shared.Equal(found, version), shared.Equal(isDirty, dirty))
}

func count(query string) (found int, err error) {
	connection, err := sql.Open("sqlserver", shared.Address("migrate_check"))
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	err = connection.QueryRow(query).Scan(&found)
	return found, err
}

func counts(query string, wanted int) error {
	found, err := count(query)
	return shared.All(err, shared.Equal(found, wanted))
}

func up() error {
	return shared.All(
		migrator.Migrate(3),
		at(3, false),
		counts("select count(*) from people join books on books.owner = people.id where people.email is null", 1),
	)
}

func stepwise() error {
	return shared.All(
		migrator.Steps(-2),
		at(1, false),
		counts("select count(*) from sys.columns where object_id = object_id('people')", 2),
		migrator.Steps(2),
		at(3, false),
	)
}

func failing() error {
	err := migrator.Up()
	if err == nil {
		return errors.New("a wrong migration succeeded")
	}
	return shared.All(at(4, true), migrator.Force(3), at(3, false))
}

func together() error {
	done := make(chan error, 4)
	if err := migrator.Migrate(1); err != nil {
		return err
	}
	for range cap(done) {
		go func() {
			other, err := newMigrator()
			if err == nil {
				if err = other.Migrate(3); errors.Is(err, migrate.ErrNoChange) {
					err = nil
				}
				other.Close()
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			return err
		}
	}
	return shared.All(at(3, false), counts("select count(*) from books", 1))
}

func down() error {
	return shared.All(
		migrator.Down(),
		counts("select count(*) from sys.tables where name in ('people', 'books')", 0),
		migrator.Migrate(2),
		migrator.Drop(),
		counts("select count(*) from sys.tables", 0),
	)
}

func main() {
	shared.Run("golang-migrate",
		shared.Check{Name: "open", Body: open},
		shared.Check{Name: "up", Body: up},
		shared.Check{Name: "step by step", Body: stepwise},
		shared.Check{Name: "a migration that fails", Body: failing},
		shared.Check{Name: "four at once", Body: together},
		shared.Check{Name: "down and drop", Body: down},
	)
}
