// GORM: AutoMigrate and its differences, associations, transactions with savepoints, errors by number, values at the ends of
// their types, what its migrator reads of the schema.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"
	"gorm.io/driver/sqlserver"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"millpond.invalid/orms/shared"
)

type person struct {
	ID    uint
	Name  string `gorm:"size:100;not null;uniqueIndex"`
	Years int    `gorm:"default:18;index;check:years_positive,years >= 0"`
	Books []book `gorm:"foreignKey:OwnerID;constraint:OnDelete:CASCADE"`
	Card  *card  `gorm:"foreignKey:OwnerID;constraint:OnDelete:CASCADE"`
}

type book struct {
	gorm.Model
	Title   string          `gorm:"type:nvarchar(max)"`
	Price   decimal.Decimal `gorm:"type:decimal(28,10)"`
	Number  int64
	Scan    []byte
	Printed *time.Time `gorm:"type:datetime2(7)"`
	Day     *time.Time `gorm:"type:date"`
	Lent    bool
	OwnerID *uint
	Tags    []tag `gorm:"many2many:book_tags"`
}

type card struct {
	ID      uint
	Number  string `gorm:"size:20"`
	OwnerID uint
}

type tag struct {
	Word string `gorm:"primaryKey;size:30"`
}

// personAfter is person with a column more and another one wider.
type personAfter struct {
	ID    uint
	Name  string  `gorm:"size:150;not null"`
	Email *string `gorm:"size:200"`
	Years int     `gorm:"default:21"`
}

func (personAfter) TableName() string { return "people" }

var db *gorm.DB

func migrate() error {
	if err := shared.NewDatabase("gorm_check"); err != nil {
		return err
	}
	var err error
	config := &gorm.Config{Logger: logger.Discard, TranslateError: false}
	if db, err = gorm.Open(sqlserver.Open(shared.Address("gorm_check")), config); err != nil {
		return err
	}
	models := []any{&person{}, &book{}, &card{}, &tag{}}
	return shared.All(db.AutoMigrate(models...), db.AutoMigrate(models...))
}

func introspection() error {
	migrator := db.Migrator()
	if !migrator.HasTable("people") || migrator.HasTable("nobody") || !migrator.HasIndex(&person{}, "Name") ||
		!migrator.HasConstraint(&person{}, "Books") || !migrator.HasColumn(&book{}, "owner_id") {
		return errors.New("a table, index, key or column is not seen")
	}
	types, err := migrator.ColumnTypes(&person{})
	if err != nil {
		return err
	}
	seen := ""
	for _, column := range types {
		length, _ := column.Length()
		nullable, _ := column.Nullable()
		primary, _ := column.PrimaryKey()
		seen += fmt.Sprintf("%s %s %d %t %t;", column.Name(), column.DatabaseTypeName(), length, nullable, primary)
	}
	return shared.Equal(seen, "id BIGINT 0 false true;name NVARCHAR 100 false false;years BIGINT 0 true false;")
}

func rows() error {
	ann := person{Name: "Ann", Years: 30, Card: &card{Number: "1"}, Books: []book{{Title: "A"}, {Title: "B", Tags: []tag{{"new"}}}}}
	if err := db.Create(&ann).Error; err != nil {
		return err
	}
	if err := db.Create([]*person{{Name: "Bob"}, {Name: "Cy", Years: 7}}).Error; err != nil {
		return err
	}
	var found []person
	load := db.Preload("Books", func(all *gorm.DB) *gorm.DB { return all.Order("title desc") }).Preload("Books.Tags").Joins("Card")
	if err := load.Order("name").Find(&found).Error; err != nil {
		return err
	}
	if len(found) != 3 || len(found[0].Books) != 2 || found[0].Books[0].Tags[0].Word != "new" || found[0].Card.Number != "1" {
		return fmt.Errorf("other rows: %v", found)
	}
	var names []string
	var count, sum int64
	return shared.All(
		shared.Equal(found[1].Years, 18),
		db.Model(&person{}).Order("id").Offset(1).Limit(1).Pluck("name", &names).Error,
		shared.Equal(names, "[Bob]"),
		db.Model(&person{}).Where("name = ?", "Cy").Update("years", gorm.Expr("years + ?", 2)).Error,
		db.Model(&person{}).Select("sum(years)").Scan(&sum).Error,
		shared.Equal(sum, 57),
		db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "word"}}, DoNothing: true}).Create([]tag{{"new"}, {"old"}}).Error,
		db.Model(&tag{}).Count(&count).Error,
		shared.Equal(count, 2),
		shared.Equal(db.Model(&found[0]).Association("Books").Count(), 2),
		db.Model(&found[0].Books[0]).Association("Tags").Clear(),
		db.Delete(&book{}, "title = ?", "A").Error,
		shared.Equal(db.Find(&[]book{}).RowsAffected, 1),
		shared.Equal(db.Unscoped().Find(&[]book{}).RowsAffected, 2),
		db.Delete(&person{}, ann.ID).Error,
		shared.Equal(db.Unscoped().Find(&[]book{}).RowsAffected, 0),
	)
}

func transactions() error {
	failed := errors.New("all of it")
	err := db.Transaction(func(transaction *gorm.DB) error {
		if err := transaction.Create(&person{Name: "Dee"}).Error; err != nil {
			return err
		}
		inner := transaction.Transaction(func(nested *gorm.DB) error {
			if err := nested.Create(&person{Name: "Eve"}).Error; err != nil {
				return err
			}
			return failed
		})
		if !errors.Is(inner, failed) {
			return inner
		}
		if err := shared.Equal(transaction.Find(&[]person{}).RowsAffected, 3); err != nil {
			return err
		}
		return failed
	})
	if !errors.Is(err, failed) {
		return err
	}
	return shared.All(
		shared.Equal(db.Find(&[]person{}).RowsAffected, 2),
		db.Transaction(func(transaction *gorm.DB) error {
			var bob person
			// GORM's own clause says FOR UPDATE, which T-SQL has not.
			locked := transaction.Table("people with (updlock, rowlock)").First(&bob, "name = ?", "Bob").Error
			return shared.All(locked, transaction.Model(&bob).Update("years", 19).Error)
		}),
		shared.Equal(db.Find(&[]person{}, "years = 19").RowsAffected, 1),
	)
}

func errorNumbers() error {
	none := uint(999)
	return shared.All(
		shared.Refused(db.Create(&person{Name: "Bob"}).Error, 2601),
		shared.Refused(db.Create(&tag{Word: "new"}).Error, 2627),
		shared.Refused(db.Create(&book{OwnerID: &none}).Error, 547),
		shared.Refused(db.Create(&person{Name: "Fay", Years: -1}).Error, 547),
		shared.Refused(db.Exec("select * from nobody").Error, 208),
		shared.Refused(db.Exec("select 1/0").Error, 8134),
	)
}

func extremes() error {
	first := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_999_900, time.UTC)
	price := decimal.RequireFromString("-123456789012345678.0123456789")
	scan := bytes.Repeat([]byte{0, 1, 255}, 100_000)
	made := book{Title: shared.Long, Price: price, Number: -9_223_372_036_854_775_808, Scan: scan, Printed: &last, Day: &first, Lent: true}
	var row book
	if err := shared.All(db.Create(&made).Error, db.First(&row, made.ID).Error); err != nil {
		return err
	}
	if row.Title != shared.Long || !bytes.Equal(row.Scan, scan) {
		return errors.New("a large value is another one")
	}
	many := make([]person, 1000)
	for at := range many {
		many[at] = person{Name: fmt.Sprint("row ", at), Years: at + 1}
	}
	var sum int64
	return shared.All(
		shared.Equal(row.Number, made.Number),
		shared.Equal(row.Price, price),
		shared.Equal(row.Printed.UTC(), last),
		shared.Equal(row.Day.UTC(), first),
		shared.Equal(row.Lent, true),
		db.CreateInBatches(many, 300).Error,
		db.Model(&person{}).Where("name like ?", "row %").Select("sum(years)").Scan(&sum).Error,
		shared.Equal(sum, 500_500),
	)
}

func changed() error {
	migrator := db.Migrator()
	if err := db.AutoMigrate(&personAfter{}); err != nil {
		return err
	}
	var after personAfter
	return shared.All(
		db.Create(&personAfter{Name: "Gus"}).Error,
		db.First(&after, "name = ?", "Gus").Error,
		shared.Equal(after.Email == nil, true),
		migrator.RenameColumn(&personAfter{}, "email", "mail"),
		migrator.DropColumn(&personAfter{}, "mail"),
		migrator.DropIndex(&person{}, "Name"),
		migrator.RenameTable("tags", "words"),
		migrator.DropTable("book_tags", "words", &card{}, &book{}, &person{}),
	)
}

func main() {
	shared.Run("gorm",
		shared.Check{Name: "AutoMigrate", Body: migrate},
		shared.Check{Name: "introspection", Body: introspection},
		shared.Check{Name: "rows and associations", Body: rows},
		shared.Check{Name: "transactions", Body: transactions},
		shared.Check{Name: "errors", Body: errorNumbers},
		shared.Check{Name: "extremes", Body: extremes},
		shared.Check{Name: "schema changed", Body: changed},
	)
}
