// Checks that go-mssqldb works against the server: connecting with and without TLS, parameters, temporary tables,
// errors, transactions, cancellation, and the tempdb loop from 1 and from 10 connections.
//
// Each check prints `ok NAME` or `FAILED NAME: why`, which tests/clients/run counts. No check looks at a clock.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/golang-sql/sqlexp"
	mssql "github.com/microsoft/go-mssqldb"
	"github.com/shopspring/decimal"
)

var failed bool

// address is the connection string with the given options.
func address(options ...string) string {
	query := url.Values{}
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		query.Set(name, value)
	}
	where := url.URL{
		Scheme:   "sqlserver",
		User:     url.UserPassword("sa", os.Getenv("MSSQL_SA_PASSWORD")),
		Host:     os.Getenv("MILLPOND_HOST") + ":" + os.Getenv("MILLPOND_PORT"),
		RawQuery: query.Encode(),
	}
	return where.String()
}

// check runs one body on a connection of its own.
func check(name string, body func(ctx context.Context, connection *sql.Conn) error, options ...string) {
	err := withConnection(body, options...)
	if err == nil {
		fmt.Println("ok", name)
		return
	}
	failed = true
	fmt.Printf("FAILED %s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
}

func withConnection(body func(context.Context, *sql.Conn) error, options ...string) error {
	database, err := sql.Open("sqlserver", address(options...))
	if err != nil {
		return err
	}
	defer database.Close()
	ctx := context.Background()
	connection, err := database.Conn(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	return body(ctx, connection)
}

// expect compares what one row holds, as text.
func expect(ctx context.Context, connection *sql.Conn, wanted string, text string, arguments ...any) error {
	rows, err := connection.QueryContext(ctx, text, arguments...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, places := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for index := range values {
		places[index] = &values[index]
	}
	if !rows.Next() {
		return errors.Join(errors.New("no row"), rows.Err())
	}
	if err := rows.Scan(places...); err != nil {
		return err
	}
	found := make([]string, len(values))
	for index, value := range values {
		found[index] = "NULL"
		if value.Valid {
			found[index] = value.String
		}
	}
	if joined := strings.Join(found, "|"); joined != wanted {
		return fmt.Errorf("%s instead of %s", joined, wanted)
	}
	return rows.Err()
}

func one(ctx context.Context, connection *sql.Conn) error {
	return expect(ctx, connection, "1", "select 1")
}

func execute(ctx context.Context, connection *sql.Conn, texts ...string) error {
	for _, text := range texts {
		if _, err := connection.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

func parameters(ctx context.Context, connection *sql.Conn) error {
	at := time.Date(2024, 2, 29, 12, 34, 56, 790_000_000, time.UTC)
	return expect(ctx, connection,
		"-5|9007199254740993|žluťoučký 鶴 😀|plain|-12345.6789|2024-02-29T12:34:56.79Z|1.5|NULL|false|true",
		"select @a, @b, @c, @d, @e, @f, @g, @h, @i, @j",
		sql.Named("a", -5), sql.Named("b", int64(9007199254740993)), sql.Named("c", "žluťoučký 鶴 😀"),
		sql.Named("d", mssql.VarChar("plain")), sql.Named("e", decimal.RequireFromString("-12345.6789")),
		sql.Named("f", mssql.DateTime1(at)), sql.Named("g", 1.5), sql.Named("h", nil), sql.Named("i", false), sql.Named("j", true))
}

func utf8(ctx context.Context, connection *sql.Conn) error {
	text := "Žluťoučký 😀 日本"
	err := execute(ctx, connection, "create table #u (v varchar(40) collate Latin1_General_100_CI_AS_SC_UTF8, "+
		"m varchar(max) collate Latin1_General_100_BIN2_UTF8, w varchar(9) collate Latin1_General_CS_AS)")
	if err != nil {
		return err
	}
	if _, err := connection.ExecContext(ctx, "insert #u values (@p1, @p2, @p3)", text, strings.Repeat(text, 1000), "Ö"); err != nil {
		return err
	}
	wanted := text + "|" + strings.Repeat(text, 1000) + "|Ö|25"
	return expect(ctx, connection, wanted, "select v, m, w, datalength(v) from #u")
}

// The driver sends a time.Time as datetimeoffset.
func plainTime(ctx context.Context, connection *sql.Conn) error {
	at := time.Date(2024, 2, 29, 12, 34, 56, 789_012_300, time.FixedZone("", 2*60*60))
	var back time.Time
	if err := connection.QueryRowContext(ctx, "select @p1", at).Scan(&back); err != nil {
		return err
	}
	if _, offset := back.Zone(); !back.Equal(at) || offset != 2*60*60 {
		return fmt.Errorf("%v came back as %v", at, back)
	}
	return nil
}

func typedTable(ctx context.Context, connection *sql.Conn) error {
	err := execute(ctx, connection, "create table #typed (i int, n nvarchar(100), d decimal(18, 4), t datetime, u uniqueidentifier)")
	if err != nil {
		return err
	}
	at := time.Date(2024, 2, 29, 12, 34, 56, 790_000_000, time.UTC)
	_, err = connection.ExecContext(ctx, "insert #typed values (@p1, @p2, @p3, @p4, @p5)",
		7, "鶴", "-12345.6789", mssql.DateTime1(at), "0E984725-C51C-4BF4-9960-E1C80E27ABA0")
	if err != nil {
		return err
	}
	return expect(ctx, connection, "7|鶴|-12345.6789|2024-02-29T12:34:56.79Z|0E984725-C51C-4BF4-9960-E1C80E27ABA0",
		"select i, n, d, t, cast(u as varchar(36)) from #typed where t = @p1", mssql.DateTime1(at))
}

func preparedInsert(ctx context.Context, connection *sql.Conn) error {
	if err := execute(ctx, connection, "create table #t (id int not null, name varchar(20) null)"); err != nil {
		return err
	}
	insert, err := connection.PrepareContext(ctx, "insert #t values (@p1, @p2)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for number := range 10 {
		result, err := insert.ExecContext(ctx, number, "name "+strconv.Itoa(number))
		if err != nil {
			return err
		}
		if count, _ := result.RowsAffected(); count != 1 {
			return fmt.Errorf("%d rows affected instead of 1", count)
		}
	}
	return expect(ctx, connection, "10|0|name 9", "select count(*), min(id), max(name) from #t")
}

// bulkCopy sends more rows than a part of a message holds, to a table with an index, and rows that the table refuses.
func bulkCopy(ctx context.Context, connection *sql.Conn) error {
	err := execute(ctx, connection, "create table #bulk (a int not null primary key, b nvarchar(60), c datetime2, d decimal(9, 2))")
	if err != nil {
		return err
	}
	copied := func(from, until, step int) (int64, error) {
		statement, err := connection.PrepareContext(ctx, mssql.CopyIn("#bulk", mssql.BulkOptions{Tablock: true}, "a", "b", "c", "d"))
		if err != nil {
			return 0, err
		}
		defer statement.Close()
		for number := from; number != until; number += step {
			day := time.Date(2020, 1, 1, 0, 0, number, 0, time.UTC)
			if _, err = statement.ExecContext(ctx, number, fmt.Sprintf("žluť %d", number), day, fmt.Sprint(number, ".25")); err != nil {
				return 0, err
			}
		}
		result, err := statement.ExecContext(ctx)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	if count, err := copied(19999, -1, -1); err != nil || count != 20000 {
		return fmt.Errorf("%d rows, %v", count, err)
	}
	if err := expect(ctx, connection, "20000|žluť 9999|19999.25", "select count(*), max(b), max(d) from #bulk"); err != nil {
		return err
	}
	_, err = copied(30000, 100, -1)
	var problem mssql.Error
	if !errors.As(err, &problem) || problem.Number != 2627 {
		return fmt.Errorf("a key that is there: %v", err)
	}
	return expect(ctx, connection, "20000", "select count(*) from #bulk")
}

func wrongName(ctx context.Context, connection *sql.Conn) error {
	var problem mssql.Error
	err := execute(ctx, connection, "select * from no_such_table")
	if !errors.As(err, &problem) || problem.Number != 208 {
		return fmt.Errorf("%v instead of error 208", err)
	}
	return one(ctx, connection)
}

func transactions(ctx context.Context, connection *sql.Conn) error {
	if err := execute(ctx, connection, "create table #t (id int)"); err != nil {
		return err
	}
	for _, commit := range []bool{false, true} {
		transaction, err := connection.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if _, err := transaction.ExecContext(ctx, "insert #t values (@p1)", 1); err != nil {
			return err
		}
		end := transaction.Rollback
		if commit {
			end = transaction.Commit
		}
		if err := end(); err != nil {
			return err
		}
		wanted := map[bool]string{false: "0|0", true: "1|0"}[commit]
		if err := expect(ctx, connection, wanted, "select count(*), @@trancount from #t"); err != nil {
			return err
		}
	}
	return nil
}

// cancel gives an endless loop up and goes on with the same connection.
func cancel(ctx context.Context, connection *sql.Conn) error {
	if err := execute(ctx, connection, "create table #t (id int)"); err != nil {
		return err
	}
	// Not a deadline: the driver throws a connection away whose deadline has passed.
	short, stop := context.WithCancel(ctx)
	time.AfterFunc(300*time.Millisecond, stop)
	if err := execute(short, connection, "while 1 = 1 set nocount on"); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("an endless loop ended with %v", err)
	}
	return expect(ctx, connection, "0", "select count(*) from #t")
}

// resetOnReuse: the pool hands a connection on with the reset flag, and its temporary tables are gone.
func resetOnReuse(context.Context, *sql.Conn) error {
	database, err := sql.Open("sqlserver", address())
	if err != nil {
		return err
	}
	defer database.Close()
	database.SetMaxOpenConns(1)
	var first, second int
	if err := database.QueryRow("create table #t (id int); select cast(@@spid as int)").Scan(&first); err != nil {
		return err
	}
	var left sql.NullInt64
	if err := database.QueryRow("select cast(@@spid as int), object_id('tempdb..#t')").Scan(&second, &left); err != nil {
		return err
	}
	if first != second || left.Valid {
		return fmt.Errorf("session %d then %d, table there: %v", first, second, left.Valid)
	}
	return nil
}

// printed runs a batch and gathers what it prints.
func printed(ctx context.Context, connection *sql.Conn, text string) (string, error) {
	message := &sqlexp.ReturnMessage{}
	rows, err := connection.QueryContext(ctx, text, message)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var found strings.Builder
	for {
		switch next := message.Message(ctx).(type) {
		case sqlexp.MsgNotice:
			fmt.Fprintln(&found, next.Message)
		case sqlexp.MsgError:
			return "", next.Error
		case sqlexp.MsgNextResultSet:
			if !rows.NextResultSet() {
				return found.String(), rows.Err()
			}
		}
	}
}

// pair is a row of the table type dbo.pairs.
type pair struct {
	K int64
	V string
}

// tableValued passes rows as one parameter, to a procedure and to a text.
func tableValued(ctx context.Context, connection *sql.Conn) error {
	for _, text := range []string{
		"use tempdb",
		"create type dbo.pairs as table (k bigint not null primary key, v nvarchar(20))",
		"create procedure dbo.total @p dbo.pairs readonly as select count(*) as n, sum(k) as total, max(v) as v from @p",
	} {
		if _, err := connection.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	rows := mssql.TVP{TypeName: "dbo.pairs", Value: []pair{{1, "one"}, {2, "zwei"}, {40, "täglich"}}}
	if err := expect(ctx, connection, "3|43|zwei", "dbo.total", sql.Named("p", rows)); err != nil {
		return err
	}
	none := mssql.TVP{TypeName: "dbo.pairs", Value: []pair{}}
	if err := expect(ctx, connection, "0", "select count(*) from @rows", sql.Named("rows", none)); err != nil {
		return err
	}
	text := "select v from @rows where k > @least"
	return expect(ctx, connection, "täglich", text, sql.Named("rows", rows), sql.Named("least", 2))
}

var turns = regexp.MustCompile(`iterations (\d+)`)

func loop(ctx context.Context, connection *sql.Conn) error {
	script, err := os.ReadFile(os.Getenv("MILLPOND_LOOP"))
	if err != nil {
		return err
	}
	batch := regexp.MustCompile(`(?im)^GO\s*$`).Split(string(script), 2)[0]
	text, err := printed(ctx, connection, batch)
	if err != nil {
		return err
	}
	match := turns.FindStringSubmatch(text)
	if match == nil {
		return fmt.Errorf("printed %q", text)
	}
	if count, _ := strconv.Atoi(match[1]); count < 2 {
		return fmt.Errorf("%d iterations", count)
	}
	return nil
}

func tenLoops(context.Context, *sql.Conn) error {
	var group sync.WaitGroup
	problems := make([]error, 10)
	for index := range problems {
		group.Add(1)
		go func() {
			defer group.Done()
			problems[index] = withConnection(loop)
		}()
	}
	group.Wait()
	return errors.Join(problems...)
}

func main() {
	check("connect, TLS for the login as by default", one)
	check("connect without TLS", one, "encrypt=disable")
	check("connect, TLS for the session", one, "encrypt=true", "TrustServerCertificate=true")
	check("connect, certificate checked", one, "encrypt=true", "certificate="+os.Getenv("MILLPOND_CERTIFICATE"))
	check("connect, TLS before everything", one, "encrypt=strict", "certificate="+os.Getenv("MILLPOND_CERTIFICATE"))
	check("parameters", parameters)
	check("columns of UTF-8", utf8)
	check("time.Time keeps its zone", plainTime)
	check("parameters into a table", typedTable)
	check("prepared statement, temp table", preparedInsert)
	check("table-valued parameters", tableValued)
	check("bulk copy", bulkCopy)
	check("error 208", wrongName)
	check("commit and rollback", transactions)
	check("cancel", cancel)
	check("reset of a pooled connection", resetOnReuse)
	check("tempdb loop, 1 connection", loop)
	check("tempdb loop, 10 connections", tenLoops)
	if failed {
		os.Exit(1)
	}
}
