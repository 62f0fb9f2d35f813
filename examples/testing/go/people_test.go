// Package people has tests that would disturb each other in one database.
package people

import (
	"database/sql"
	"slices"
	"testing"

	"millpond.invalid/testing/pond"
)

func names(t *testing.T, db *sql.DB) []string {
	t.Helper()
	rows, err := db.Query("select name from people order by id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

func wantNames(t *testing.T, db *sql.DB, want ...string) {
	t.Helper()
	if got := names(t, db); !slices.Equal(got, want) {
		t.Errorf("people are %q, want %q", got, want)
	}
}

// wantID adds a person, who must get that id.
func wantID(t *testing.T, db *sql.DB, name string, want int) {
	t.Helper()
	var id int
	if err := db.QueryRow("insert people (name) output inserted.id values (@p1)", name).Scan(&id); err != nil {
		t.Fatal(err)
	}
	if id != want {
		t.Errorf("%s has id %d, want %d", name, id, want)
	}
}

func TestEverybodyCanGo(t *testing.T) {
	t.Parallel()
	db := pond.Database(t)
	if _, err := db.Exec("delete people"); err != nil {
		t.Fatal(err)
	}
	wantNames(t, db)
}

func TestIDsBeginAnewInEachCopy(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Edsger", "Barbara", "Tony"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pond.Database(t)
			wantID(t, db, name, 3)
			wantNames(t, db, "Ada", "Grace", name)
		})
	}
}

func TestTheTemplateStaysAsItIs(t *testing.T) {
	t.Parallel()
	db := pond.Database(t)
	if _, err := db.Exec("update people set name = N'Augusta' where name = N'Ada'"); err != nil {
		t.Fatal(err)
	}
	wantNames(t, pond.Template(t), "Ada", "Grace")
	wantNames(t, db, "Augusta", "Grace")
}

func TestTwoCopiesSideBySide(t *testing.T) {
	t.Parallel()
	one, other := pond.Database(t), pond.Database(t)
	wantID(t, one, "Alan", 3)
	wantID(t, other, "Alonzo", 3)
	wantNames(t, one, "Ada", "Grace", "Alan")
	wantNames(t, other, "Ada", "Grace", "Alonzo")
}
