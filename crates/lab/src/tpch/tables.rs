//! TPC-H's tables: their columns, and their rows as dbgen writes them, lines of fields that end with `|`.

use std::fmt::Write;

use millpond_types::{MaxLen, SqlType};
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};

use crate::failure::LabError;

/// Takes a row.
pub(super) type OnLine<'a> = &'a mut dyn FnMut(&str) -> Result<(), LabError>;

/// A table.
pub(super) struct TpchTable {
    pub(super) name: &'static str,
    pub(super) columns: &'static [(&'static str, Kind)],
    /// Rows at scale 1.
    pub(super) rows: f64,
    /// Whether the number of rows grows with the scale.
    pub(super) grows: bool,
    /// The rows of one of several parts, in the order of the key: scale, part from 1, parts.
    pub(super) lines: fn(f64, i32, i32, OnLine<'_>) -> Result<(), LabError>,
}

/// Types of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    BigInt,
    /// decimal(12, 2)
    Money,
    Date,
    Char(u16),
    VarChar(u16),
}

use Kind::{BigInt, Char, Date, Int, Money, VarChar};

impl Kind {
    pub(super) fn sql_type(self) -> SqlType {
        match self {
            Int => SqlType::Int,
            BigInt => SqlType::BigInt,
            Money => SqlType::decimal(12, 2),
            Date => SqlType::Date,
            Char(len) => SqlType::Char { len, page: Default::default() },
            VarChar(len) => SqlType::VarChar { len: MaxLen::Limited(len), page: Default::default() },
        }
    }

    /// As INSERT BULK names it.
    pub(super) fn text(self) -> String {
        match self {
            Int => "int".into(),
            BigInt => "bigint".into(),
            Money => "decimal(12, 2)".into(),
            Date => "date".into(),
            Char(len) => format!("char({len})"),
            VarChar(len) => format!("varchar({len})"),
        }
    }
}

impl TpchTable {
    /// About how many rows it has at a scale.
    pub(super) fn rows_at(&self, scale: f64) -> u64 {
        if self.grows { (self.rows * scale) as u64 } else { self.rows as u64 }
    }
}

macro_rules! lines {
    ($generator:ident) => {
        |scale, part, parts, on_line| {
            let mut line = String::new();
            for row in $generator::new(scale, part, parts).iter() {
                line.clear();
                let _ = write!(line, "{row}");
                on_line(&line)?;
            }
            Ok(())
        }
    };
}

/// All tables, those that are loaded fastest first.
pub(super) const TABLES: [TpchTable; 8] = [
    TpchTable {
        name: "region",
        columns: &[("r_regionkey", Int), ("r_name", Char(25)), ("r_comment", VarChar(152))],
        rows: 5.0,
        grows: false,
        lines: lines!(RegionGenerator),
    },
    TpchTable {
        name: "nation",
        columns: &[("n_nationkey", Int), ("n_name", Char(25)), ("n_regionkey", Int), ("n_comment", VarChar(152))],
        rows: 25.0,
        grows: false,
        lines: lines!(NationGenerator),
    },
    TpchTable {
        name: "supplier",
        columns: &[
            ("s_suppkey", Int),
            ("s_name", Char(25)),
            ("s_address", VarChar(40)),
            ("s_nationkey", Int),
            ("s_phone", Char(15)),
            ("s_acctbal", Money),
            ("s_comment", VarChar(101)),
        ],
        rows: 10_000.0,
        grows: true,
        lines: lines!(SupplierGenerator),
    },
    TpchTable {
        name: "part",
        columns: &[
            ("p_partkey", Int),
            ("p_name", VarChar(55)),
            ("p_mfgr", Char(25)),
            ("p_brand", Char(10)),
            ("p_type", VarChar(25)),
            ("p_size", Int),
            ("p_container", Char(10)),
            ("p_retailprice", Money),
            ("p_comment", VarChar(23)),
        ],
        rows: 200_000.0,
        grows: true,
        lines: lines!(PartGenerator),
    },
    TpchTable {
        name: "customer",
        columns: &[
            ("c_custkey", Int),
            ("c_name", VarChar(25)),
            ("c_address", VarChar(40)),
            ("c_nationkey", Int),
            ("c_phone", Char(15)),
            ("c_acctbal", Money),
            ("c_mktsegment", Char(10)),
            ("c_comment", VarChar(117)),
        ],
        rows: 150_000.0,
        grows: true,
        lines: lines!(CustomerGenerator),
    },
    TpchTable {
        name: "partsupp",
        columns: &[
            ("ps_partkey", Int),
            ("ps_suppkey", Int),
            ("ps_availqty", Int),
            ("ps_supplycost", Money),
            ("ps_comment", VarChar(199)),
        ],
        rows: 800_000.0,
        grows: true,
        lines: lines!(PartSuppGenerator),
    },
    TpchTable {
        name: "orders",
        columns: &[
            ("o_orderkey", BigInt),
            ("o_custkey", Int),
            ("o_orderstatus", Char(1)),
            ("o_totalprice", Money),
            ("o_orderdate", Date),
            ("o_orderpriority", Char(15)),
            ("o_clerk", Char(15)),
            ("o_shippriority", Int),
            ("o_comment", VarChar(79)),
        ],
        rows: 1_500_000.0,
        grows: true,
        lines: lines!(OrderGenerator),
    },
    TpchTable {
        name: "lineitem",
        columns: &[
            ("l_orderkey", BigInt),
            ("l_partkey", Int),
            ("l_suppkey", Int),
            ("l_linenumber", Int),
            ("l_quantity", Money),
            ("l_extendedprice", Money),
            ("l_discount", Money),
            ("l_tax", Money),
            ("l_returnflag", Char(1)),
            ("l_linestatus", Char(1)),
            ("l_shipdate", Date),
            ("l_commitdate", Date),
            ("l_receiptdate", Date),
            ("l_shipinstruct", Char(25)),
            ("l_shipmode", Char(10)),
            ("l_comment", VarChar(44)),
        ],
        rows: 6_001_215.0,
        grows: true,
        lines: lines!(LineItemGenerator),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_fields_of_their_tables_and_parts_make_the_whole() {
        for table in &TABLES {
            let (mut whole, mut in_parts) = (Vec::new(), Vec::new());
            (table.lines)(0.001, 1, 1, &mut |line| {
                whole.push(line.to_owned());
                Ok(())
            })
            .unwrap();
            let parts = if table.grows { 3 } else { 1 };
            for part in 1..=parts {
                (table.lines)(0.001, part, parts, &mut |line| {
                    in_parts.push(line.to_owned());
                    Ok(())
                })
                .unwrap();
            }
            assert_eq!(whole, in_parts, "{}", table.name);
            let fields = whole.iter().map(|line| line.split_terminator('|').count());
            assert!(fields.into_iter().all(|count| count == table.columns.len()), "{}", table.name);
        }
    }
}
