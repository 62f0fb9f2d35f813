// Package shared is what the checks of Go's tools have in common: how the server is reached, a database of each one's own,
// and how a check is told.
//
// Each check prints `ok NAME` or `FAILED NAME: why`, which tests/clients/run counts. A check that fails ends its program: the
// next ones stand on its rows. No check looks at a clock.
package shared

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	mssql "github.com/microsoft/go-mssqldb"
)

// Long is a text of more than one page and of more than one kind of letters.
var Long = strings.Repeat("žluťoučký 鶴 😀", 20_000)

// Address is the connection string of a database.
func Address(database string) string {
	query := url.Values{"database": {database}, "trustServerCertificate": {"true"}}
	where := url.URL{
		Scheme:   "sqlserver",
		User:     url.UserPassword("sa", os.Getenv("MSSQL_SA_PASSWORD")),
		Host:     os.Getenv("MILLPOND_HOST") + ":" + os.Getenv("MILLPOND_PORT"),
		RawQuery: query.Encode(),
	}
	return where.String()
}

// NewDatabase makes a database that is empty.
func NewDatabase(name string) error {
	connection, err := sql.Open("sqlserver", Address("master"))
	if err != nil {
		return err
	}
	defer connection.Close()
	if _, err := connection.Exec("drop database if exists " + name); err != nil {
		return err
	}
	_, err = connection.Exec("create database " + name)
	return err
}

// Refused is an error unless err has SQL Server's number.
func Refused(err error, number int32) error {
	var found mssql.Error
	if !errors.As(err, &found) {
		return fmt.Errorf("%v where error %d was expected", err, number)
	}
	if found.Number != number {
		return fmt.Errorf("error %d instead of %d: %w", found.Number, number, err)
	}
	return nil
}

// Equal is an error unless both are printed alike.
func Equal(found, wanted any) error {
	if f, w := fmt.Sprint(found), fmt.Sprint(wanted); f != w {
		return fmt.Errorf("%.200q instead of %.200q", f, w)
	}
	return nil
}

// All is the first error.
func All(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Check is one of a tool.
type Check struct {
	Name string
	Body func() error
}

// Run runs checks in their order and ends the program.
func Run(tool string, checks ...Check) {
	for _, check := range checks {
		if err := check.Body(); err != nil {
			fmt.Printf("FAILED %s %s: %s\n", tool, check.Name, strings.ReplaceAll(err.Error(), "\n", " "))
			os.Exit(1)
		}
		fmt.Println("ok", tool, check.Name)
	}
}
