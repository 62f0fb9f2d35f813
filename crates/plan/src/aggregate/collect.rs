//! Accumulators of the aggregates that are no numbers' sums and no texts: APPROX_COUNT_DISTINCT, CHECKSUM_AGG.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BinaryBuilder};
use datafusion::arrow::datatypes::{DataType, Int32Type};
use datafusion::common::hash_utils::{HLL_RANDOM_STATE, create_hashes};
use datafusion::logical_expr::AggregateUDF;
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use crate::aggregate::accumulate::{GroupState, aggregate};
use crate::expression::convert::{ColumnBuilder, push_bytes};
use crate::run::failure;

/// States of groups as the one column that they have.
pub(crate) fn one_state_each(states: impl Iterator<Item = SqlResult<Vec<u8>>>) -> SqlResult<Vec<ArrayRef>> {
    let mut column = BinaryBuilder::new();
    for state in states {
        push_bytes(&mut column, &state?)?;
    }
    Ok(vec![Arc::new(column.finish())])
}

/// APPROX_COUNT_DISTINCT over keys (L2): exact for few values, then HyperLogLog with a standard error of 0.8 %.
pub(crate) fn sketch() -> Arc<AggregateUDF> {
    aggregate("APPROX_COUNT_DISTINCT", SqlType::BigInt, false, || Box::new(Sketches { groups: Vec::new() }))
}

/// Bits of a hash that choose the register.
const REGISTER_BITS: u32 = 14;
/// Hashes that are kept one by one.
const FEW: usize = 1024;

enum Sketch {
    Few(HashSet<u64>),
    Many(Box<[u8]>),
}

impl Sketch {
    fn add(&mut self, hash: u64) {
        match self {
            Sketch::Few(hashes) => {
                hashes.insert(hash);
                if hashes.len() > FEW {
                    let mut registers = vec![0; 1 << REGISTER_BITS].into_boxed_slice();
                    hashes.iter().for_each(|hash| register(&mut registers, *hash));
                    *self = Sketch::Many(registers);
                }
            }
            Sketch::Many(registers) => register(registers, hash),
        }
    }

    fn estimate(&self) -> i64 {
        let registers = match self {
            Sketch::Few(hashes) => return hashes.len() as i64,
            Sketch::Many(registers) => registers,
        };
        let count = registers.len() as f64;
        let sum: f64 = registers.iter().map(|&register| (-f64::from(register)).exp2()).sum();
        let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
        let empty = registers.iter().filter(|register| **register == 0).count();
        let estimate = if raw <= 2.5 * count && empty > 0 { count * (count / empty as f64).ln() } else { raw };
        estimate.round() as i64
    }

    fn write(&self) -> Vec<u8> {
        match self {
            Sketch::Few(hashes) => {
                std::iter::once(0).chain(hashes.iter().flat_map(|hash| hash.to_le_bytes())).collect()
            }
            Sketch::Many(registers) => std::iter::once(1).chain(registers.iter().copied()).collect(),
        }
    }

    fn merge(&mut self, bytes: &[u8]) -> SqlResult<()> {
        match bytes.split_first() {
            Some((0, hashes)) => {
                let (hashes, _) = hashes.as_chunks::<8>();
                hashes.iter().for_each(|hash| self.add(u64::from_le_bytes(*hash)));
            }
            Some((1, other)) if other.len() == 1 << REGISTER_BITS => {
                let mut registers: Box<[u8]> = other.into();
                match self {
                    Sketch::Few(hashes) => hashes.iter().for_each(|hash| register(&mut registers, *hash)),
                    Sketch::Many(own) => {
                        registers
                            .iter_mut()
                            .zip(own.iter())
                            .for_each(|(register, own)| *register = (*own).max(*register));
                    }
                }
                *self = Sketch::Many(registers);
            }
            _ => return Err(failure::internal("a sketch of distinct values is broken")),
        }
        Ok(())
    }
}

/// Notes a hash: its first bits choose the register, which holds the longest run of zeros after these bits.
fn register(registers: &mut [u8], hash: u64) {
    let index = (hash >> (u64::BITS - REGISTER_BITS)) as usize;
    let rest = hash << REGISTER_BITS | 1 << (REGISTER_BITS - 1);
    registers[index] = registers[index].max(rest.leading_zeros() as u8 + 1);
}

struct Sketches {
    groups: Vec<Sketch>,
}

impl Sketches {
    fn take(&mut self, count: usize) -> Vec<Sketch> {
        let rest = self.groups.split_off(count.min(self.groups.len()));
        std::mem::replace(&mut self.groups, rest)
    }
}

impl GroupState for Sketches {
    fn resize(&mut self, count: usize) {
        self.groups.resize_with(count.max(self.groups.len()), || Sketch::Few(HashSet::new()));
    }

    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        let mut hashes = vec![0; values.len()];
        create_hashes([values], &HLL_RANDOM_STATE, &mut hashes).map_err(failure::to_sql)?;
        for (row, hash) in hashes.into_iter().enumerate() {
            if values.is_valid(row)
                && let Some(group) = group_of(row)
            {
                self.groups[group].add(hash);
            }
        }
        Ok(())
    }

    fn results(&mut self, count: usize) -> SqlResult<ArrayRef> {
        let groups = self.take(count);
        let mut results = ColumnBuilder::new(&SqlType::BigInt, groups.len());
        groups.iter().try_for_each(|group| results.push(&Value::BigInt(group.estimate())))?;
        Ok(results.finish())
    }

    fn state(&mut self, count: usize) -> SqlResult<Vec<ArrayRef>> {
        one_state_each(self.take(count).iter().map(|group| Ok(group.write())))
    }

    fn merge(&mut self, states: &[ArrayRef], group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        let states: &BinaryArray = states[0].as_binary();
        for row in 0..states.len() {
            if let Some(group) = group_of(row) {
                self.groups[group].merge(states.value(row))?;
            }
        }
        Ok(())
    }

    fn state_types(&self) -> Vec<DataType> {
        vec![DataType::Binary]
    }

    fn count(&self) -> usize {
        self.groups.len()
    }

    fn bytes(&self) -> usize {
        let held = |sketch: &Sketch| match sketch {
            Sketch::Few(hashes) => hashes.capacity() * 2 * size_of::<u64>(),
            Sketch::Many(registers) => registers.len(),
        };
        self.groups.capacity() * size_of::<Sketch>() + self.groups.iter().map(held).sum::<usize>()
    }
}

/// CHECKSUM_AGG of ints: their exclusive or.
pub(crate) fn checksum(distinct: bool) -> Arc<AggregateUDF> {
    let name = if distinct { "CHECKSUM_AGG DISTINCT" } else { "CHECKSUM_AGG" };
    aggregate(name, SqlType::Int, distinct, || Box::new(Checksums { groups: Vec::new() }))
}

struct Checksums {
    groups: Vec<Option<i32>>,
}

impl GroupState for Checksums {
    fn resize(&mut self, count: usize) {
        self.groups.resize(count.max(self.groups.len()), None);
    }

    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        let values = values.as_primitive::<Int32Type>();
        for row in 0..values.len() {
            if values.is_valid(row)
                && let Some(group) = group_of(row)
            {
                self.groups[group] = Some(self.groups[group].unwrap_or(0) ^ values.value(row));
            }
        }
        Ok(())
    }

    fn results(&mut self, count: usize) -> SqlResult<ArrayRef> {
        let rest = self.groups.split_off(count.min(self.groups.len()));
        let taken = std::mem::replace(&mut self.groups, rest);
        Ok(Arc::new(datafusion::arrow::array::Int32Array::from(taken)))
    }

    fn state(&mut self, count: usize) -> SqlResult<Vec<ArrayRef>> {
        Ok(vec![self.results(count)?])
    }

    fn state_types(&self) -> Vec<DataType> {
        vec![DataType::Int32]
    }

    fn count(&self) -> usize {
        self.groups.len()
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Option<i32>>()
    }
}
