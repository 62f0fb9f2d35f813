// sqlx: rows as structures, named parameters, lists, statements that are prepared, transactions, errors by number, values at
// the ends of their types.
package main

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
	_ "github.com/microsoft/go-mssqldb"
	"github.com/shopspring/decimal"

	"millpond.invalid/orms/shared"
)

type person struct {
	ID    int             `db:"id"`
	Name  string          `db:"name"`
	Years sql.NullInt32   `db:"years"`
	Owed  decimal.Decimal `db:"owed"`
	At    time.Time       `db:"at"`
}

var db *sqlx.DB

func connect() error {
	if err := shared.NewDatabase("sqlx_check"); err != nil {
		return err
	}
	var err error
	if db, err = sqlx.Connect("sqlserver", shared.Address("sqlx_check")); err != nil {
		return err
	}
	_, err = db.Exec(`create table people (id int identity primary key, name nvarchar(max) not null, years int,
		owed decimal(38, 10) not null default 0, at datetime2 not null default '00010101', owner int references people (id))`)
	return err
}

func rows() error {
	named := `insert people (name, years) values (:name, :years)`
	if _, err := db.NamedExec(named, []map[string]any{{"name": "Ann", "years": 30}, {"name": "Bob", "years": nil}}); err != nil {
		return err
	}
	var id int
	var all, some []person
	var one person
	in, arguments, err := sqlx.In("select id, name, years, owed, at from people where name in (?) order by id desc", []string{"Ann", "Cy"})
	if err != nil {
		return err
	}
	statement, err := db.PrepareNamed("select id, name, years, owed, at from people where years > :years")
	if err != nil {
		return err
	}
	defer statement.Close()
	return shared.All(
		db.Get(&id, "insert people (name, years) output inserted.id values (@p1, @p2)", "Cy", 7),
		shared.Equal(id, 3),
		db.Select(&all, "select id, name, years, owed, at from people order by id"),
		shared.Equal(len(all), 3),
		shared.Equal(all[1].Years.Valid, false),
		shared.Equal(all[0].At.UTC(), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)),
		db.Select(&some, db.Rebind(in), arguments...),
		shared.Equal([]string{some[0].Name, some[1].Name}, "[Cy Ann]"),
		statement.Get(&one, map[string]any{"years": 8}),
		shared.Equal(one.Name, "Ann"),
	)
}

func transactions() error {
	transaction, err := db.BeginTxx(context.Background(), &sql.TxOptions{Isolation: sql.LevelSnapshot})
	if err != nil {
		return err
	}
	// A database of this kind has to allow it.
	_, err = transaction.Exec("delete people")
	if err := shared.All(shared.Refused(err, 3952), transaction.Rollback()); err != nil {
		return err
	}
	var count int
	transaction = db.MustBeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelSerializable})
	return shared.All(
		second(transaction.Exec("delete people")),
		transaction.Get(&count, "select count(*) from people"),
		shared.Equal(count, 0),
		transaction.Rollback(),
		db.Get(&count, "select count(*) from people"),
		shared.Equal(count, 3),
	)
}

func second(_ sql.Result, err error) error { return err }

func errorNumbers() error {
	return shared.All(
		shared.Refused(second(db.Exec("set identity_insert people on; insert people (id, name) values (1, 'x')")), 2627),
		shared.Refused(second(db.Exec("insert people (name, owner) values ('x', 999)")), 547),
		shared.Refused(second(db.Exec("insert people (name) values (null)")), 515),
		shared.Refused(second(db.Exec("select * from nobody")), 208),
		shared.Refused(second(db.Exec("throw 50001, 'own', 1")), 50001),
	)
}

func extremes() error {
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_999_900, time.UTC)
	owed := decimal.RequireFromString("-1234567890123456789012345678.0123456789")
	var row person
	if err := shared.All(
		second(db.NamedExec("insert people (name, years, owed, at) values (:name, :years, :owed, :at)",
			person{Name: shared.Long, Years: sql.NullInt32{Int32: -2_147_483_648, Valid: true}, Owed: owed, At: last})),
		db.Get(&row, "select top 1 id, name, years, owed, at from people order by id desc"),
	); err != nil {
		return err
	}
	if row.Name != shared.Long {
		return errors.New("the long text is another one")
	}
	return shared.All(
		shared.Equal(row.Years.Int32, -2_147_483_648),
		shared.Equal(row.Owed, owed),
		shared.Equal(row.At.UTC(), last),
	)
}

func main() {
	shared.Run("sqlx",
		shared.Check{Name: "connect", Body: connect},
		shared.Check{Name: "rows", Body: rows},
		shared.Check{Name: "transactions", Body: transactions},
		shared.Check{Name: "errors", Body: errorNumbers},
		shared.Check{Name: "extremes", Body: extremes},
	)
}
