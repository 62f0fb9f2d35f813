// Reads and writes the table of benches/wire.py by one driver and prints what took how long, as JSON.
//
//	wire ms|pg read|bulk ADDRESS PASSWORD ROWS TIMES
//
// Reading decodes every value of every row into a variable of its kind. Writing is each driver's fastest way: INSERT BULK by
// go-mssqldb's CopyIn, COPY in its binary form by pgx' CopyFrom, one transaction each.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	mssql "github.com/microsoft/go-mssqldb"
)

var columns = []string{"id", "a", "n", "f", "d", "t", "s", "u"}

const query = "select id, a, n, f, d, t, s, u from rows8"

// row is what the table has at a place; the same as benches/wire.py makes of it.
func row(i int) []any {
	day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i%2000)
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Second)
	text := strings.Repeat("x", 10+i%30)
	return []any{int64(i), int64(i) * 1_000_003, fmt.Sprintf("%d.%02d", i%100000, i%100), float64(i) / 7, day, at, text, "name " + strconv.Itoa(i%1000)}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

type client interface {
	read(ctx context.Context) (rows int, sum int64)
	bulk(ctx context.Context, rows int)
}

// found is the rows of a query as both drivers give them.
type found interface {
	Next() bool
	Scan(...any) error
	Err() error
}

// counted decodes all rows; how many they are, and a sum over them.
func counted(found found) (int, int64) {
	rows, sum := 0, int64(0)
	for found.Next() {
		var id, a int64
		var n, s, u string
		var f float64
		var d, t time.Time
		must(found.Scan(&id, &a, &n, &f, &d, &t, &s, &u))
		rows++
		sum += id + int64(len(s)) + int64(len(u)) + int64(d.Day())
	}
	must(found.Err())
	return rows, sum
}

type microsoft struct{ db *sql.DB }

func (c microsoft) read(ctx context.Context) (int, int64) {
	found, err := c.db.QueryContext(ctx, query)
	must(err)
	defer found.Close()
	return counted(found)
}

func (c microsoft) bulk(ctx context.Context, rows int) {
	_, err := c.db.ExecContext(ctx, "truncate table loaded8")
	must(err)
	tx, err := c.db.BeginTx(ctx, nil)
	must(err)
	load, err := tx.PrepareContext(ctx, mssql.CopyIn("loaded8", mssql.BulkOptions{Tablock: true}, columns...))
	must(err)
	for i := 0; i < rows; i++ {
		_, err = load.ExecContext(ctx, row(i)...)
		must(err)
	}
	_, err = load.ExecContext(ctx)
	must(err)
	must(load.Close())
	must(tx.Commit())
}

type postgres struct{ conn *pgx.Conn }

func (c postgres) read(ctx context.Context) (int, int64) {
	found, err := c.conn.Query(ctx, query)
	must(err)
	defer found.Close()
	return counted(found)
}

func (c postgres) bulk(ctx context.Context, rows int) {
	tx, err := c.conn.Begin(ctx)
	must(err)
	_, err = tx.Exec(ctx, "truncate table loaded8")
	must(err)
	source := pgx.CopyFromSlice(rows, func(i int) ([]any, error) { return row(i), nil })
	copied, err := tx.CopyFrom(ctx, pgx.Identifier{"loaded8"}, columns, source)
	must(err)
	if copied != int64(rows) {
		log.Fatalf("%d of %d rows were copied", copied, rows)
	}
	must(tx.Commit(ctx))
}

func main() {
	if len(os.Args) != 7 {
		log.Fatal("wire ms|pg read|bulk ADDRESS PASSWORD ROWS TIMES")
	}
	which, what, address, password := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	rows, err := strconv.Atoi(os.Args[5])
	must(err)
	times, err := strconv.Atoi(os.Args[6])
	must(err)
	ctx := context.Background()
	var c client
	switch which {
	case "ms":
		host, port, _ := strings.Cut(address, ":")
		db, err := sql.Open("sqlserver", fmt.Sprintf("server=%s;port=%s;user id=sa;password=%s;database=wire;encrypt=disable", host, port, password))
		must(err)
		db.SetMaxOpenConns(1)
		must(db.PingContext(ctx))
		c = microsoft{db}
	case "pg":
		conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", address))
		must(err)
		c = postgres{conn}
	default:
		log.Fatal("ms or pg")
	}
	var seconds []float64
	for range times {
		start := time.Now()
		if what == "read" {
			found, sum := c.read(ctx)
			if found != rows || sum == 0 {
				log.Fatalf("%d of %d rows were read", found, rows)
			}
		} else {
			c.bulk(ctx, rows)
		}
		seconds = append(seconds, time.Since(start).Seconds())
	}
	must(json.NewEncoder(os.Stdout).Encode(seconds))
}
