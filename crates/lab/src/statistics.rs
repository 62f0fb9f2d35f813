//! Whether two samples differ by more than chance: the test of Mann and Whitney, and an interval for the ratio of medians.
//!
//! ```text
//!   a, b ─▶ ranks of all values, ties share the mean of theirs ─▶ U = Σ ranks of a − n(n+1)/2
//!        ─▶ p: the share of all ways to choose n of the n+m ranks whose U is as far from nm/2 as this one, or farther
//! ```
//!
//! What always holds: nothing is assumed of how values are distributed. Up to [`EXACT_MAX`] values p is exact, ties included, by
//! counting all choices; beyond that it is the normal approximation with corrections for ties and for continuity. With three a
//! side no p is below 0.1, whatever was measured: [`least_p`] says so before anything is measured.

/// Values of both samples together up to which all choices are counted.
pub(crate) const EXACT_MAX: usize = 60;

/// What the test says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Difference {
    /// How often a value of the first sample is above one of the second; an equal one counts half.
    pub(crate) u: f64,
    /// Probability of a U as extreme or more, both ways, if the samples were of the same kind.
    pub(crate) p: f64,
}

/// The test, two-sided; `None` where a sample is empty.
pub(crate) fn mann_whitney(a: &[f64], b: &[f64]) -> Option<Difference> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let ranks = doubled_ranks(a, b);
    let doubled_sum: u64 = ranks[..a.len()].iter().sum();
    let (n, m) = (a.len() as f64, b.len() as f64);
    let u = doubled_sum as f64 / 2.0 - n * (n + 1.0) / 2.0;
    let p = if ranks.len() <= EXACT_MAX { exact_p(&ranks, a.len(), doubled_sum) } else { normal_p(&ranks, n, m, u) };
    Some(Difference { u, p })
}

/// The least p that samples of these sizes can have, without ties: two of all choices.
pub(crate) fn least_p(n: usize, m: usize) -> f64 {
    let choices = (1..=n).fold(1.0, |product, k| product * (m + k) as f64 / k as f64);
    (2.0 / choices).min(1.0)
}

/// Twice the ranks of the values of both samples, in their order: twice, so that the mean ranks of ties are whole.
fn doubled_ranks(a: &[f64], b: &[f64]) -> Vec<u64> {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let rank = |value: f64| {
        let below = all.iter().filter(|other| **other < value).count() as u64;
        let equal = all.iter().filter(|other| **other == value).count() as u64;
        // Ranks below + 1 … below + equal, twice their mean.
        2 * below + equal + 1
    };
    all.iter().map(|value| rank(*value)).collect()
}

/// Counts, for each sum, the choices of `n` of the ranks that have it.
fn exact_p(ranks: &[u64], n: usize, sum: u64) -> f64 {
    let most = ranks.iter().sum::<u64>() as usize;
    // ways[k][s]: choices of k ranks with the sum s.
    let mut ways = vec![vec![0.0_f64; most + 1]; n + 1];
    ways[0][0] = 1.0;
    for &rank in ranks {
        let rank = rank as usize;
        for k in (1..=n).rev() {
            for s in (rank..=most).rev() {
                let more = ways[k - 1][s - rank];
                ways[k][s] += more;
            }
        }
    }
    // The middle of all sums is n (N + 1) / 2, twice here; distances are compared in whole numbers.
    let middle = n as u64 * (ranks.len() as u64 + 1);
    let distance = sum.abs_diff(middle);
    let (mut all, mut as_far) = (0.0, 0.0);
    for (s, count) in ways[n].iter().enumerate() {
        all += count;
        if (s as u64).abs_diff(middle) >= distance {
            as_far += count;
        }
    }
    as_far / all
}

fn normal_p(ranks: &[u64], n: f64, m: f64, u: f64) -> f64 {
    let total = n + m;
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let ties: f64 = sorted.chunk_by(|a, b| a == b).map(|tied| (tied.len() as f64).powi(3) - tied.len() as f64).sum();
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let z = ((u - n * m / 2.0).abs() - 0.5).max(0.0) / variance.sqrt();
    (2.0 * upper_tail(z)).min(1.0)
}

/// Share of the normal distribution above z ≥ 0, to 7.5 × 10⁻⁸: Abramowitz and Stegun, 26.2.17.
fn upper_tail(z: f64) -> f64 {
    const B: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let polynomial = B.iter().rev().fold(0.0, |sum, b| (sum + b) * t);
    (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of n and m values without ties, the first of which has this U.
    fn with_u(n: usize, m: usize, u: usize) -> (Vec<f64>, Vec<f64>) {
        // Each value of the first sample stands above at most m of the second: fill from the last.
        let mut left = u;
        let mut above = vec![0; n];
        for place in above.iter_mut().rev() {
            *place = left.min(m);
            left -= *place;
        }
        assert_eq!(left, 0, "no U is above n m");
        let second: Vec<f64> = (1..=m).map(|number| number as f64).collect();
        let first =
            above.iter().enumerate().map(|(number, above)| *above as f64 + 0.5 + number as f64 / 1000.0).collect();
        (first, second)
    }

    fn p_of_u(n: usize, m: usize, u: usize) -> f64 {
        let (first, second) = with_u(n, m, u);
        let found = mann_whitney(&first, &second).unwrap();
        assert!((found.u - u as f64).abs() < 1e-9, "{found:?}");
        found.p
    }

    /// Critical values of U for α = 0.05, two-sided, as the tables of Mann and Whitney's test have them.
    #[test]
    fn critical_values_are_those_of_the_tables() {
        for (n, m, critical) in [
            (4, 4, 0),
            (3, 5, 0),
            (5, 5, 2),
            (6, 6, 5),
            (7, 7, 8),
            (8, 8, 13),
            (5, 10, 8),
            (10, 10, 23),
            (15, 15, 64),
            (20, 20, 127),
        ] {
            assert!(p_of_u(n, m, critical) <= 0.05, "{n}, {m}: {}", p_of_u(n, m, critical));
            assert!(p_of_u(n, m, critical + 1) > 0.05, "{n}, {m}: {}", p_of_u(n, m, critical + 1));
        }
    }

    /// Hollander and Wolfe (1973), page 69: permeability of the chorioamnion at term and at 12 to 26 weeks. Published: W = 35,
    /// p = 0.1272 one-sided.
    #[test]
    fn a_published_example_is_met() {
        let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let before = [1.15, 0.88, 0.90, 0.74, 1.21];
        let found = mann_whitney(&at_term, &before).unwrap();
        assert_eq!(found.u, 35.0);
        assert!((found.p / 2.0 - 0.1272).abs() < 5e-5, "{found:?}");
        let other_way = mann_whitney(&before, &at_term).unwrap();
        assert_eq!((other_way.u, other_way.p), (15.0, found.p), "the two Us are n m together");
    }

    #[test]
    fn three_a_side_are_never_significant_and_four_may_be() {
        assert!((p_of_u(3, 3, 0) - 0.1).abs() < 1e-12);
        assert!((p_of_u(4, 4, 0) - 2.0 / 70.0).abs() < 1e-12);
        for (n, m) in [(3, 3), (4, 4), (3, 5), (1, 1), (1, 9)] {
            assert!((least_p(n, m) - p_of_u(n, m, 0)).abs() < 1e-12, "{n}, {m}");
        }
    }

    /// Every choice is tried one by one.
    #[test]
    fn ties_are_counted_exactly() {
        let (a, b) = ([1.0, 2.0, 2.0, 5.0], [2.0, 3.0, 5.0, 5.0, 7.0]);
        let found = mann_whitney(&a, &b).unwrap();
        let all: Vec<f64> = a.iter().chain(&b).copied().collect();
        let u = |chosen: u32| {
            let is_first = |at: usize| chosen >> at & 1 == 1;
            let pairs = (0..9).flat_map(|i| (0..9).map(move |j| (i, j))).filter(|(i, j)| is_first(*i) && !is_first(*j));
            pairs
                .map(|(i, j)| {
                    if all[i] > all[j] {
                        1.0
                    } else if all[i] == all[j] {
                        0.5
                    } else {
                        0.0
                    }
                })
                .sum::<f64>()
        };
        let choices: Vec<u32> = (0..1_u32 << 9).filter(|chosen| chosen.count_ones() == 4).collect();
        assert_eq!(found.u, u(0b1111));
        let as_far = choices.iter().filter(|chosen| (u(**chosen) - 10.0).abs() >= (found.u - 10.0).abs()).count();
        assert!((found.p - as_far as f64 / choices.len() as f64).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn the_same_values_differ_by_nothing() {
        assert_eq!(mann_whitney(&[1.0; 3], &[1.0; 3]).unwrap(), Difference { u: 4.5, p: 1.0 });
        assert_eq!(mann_whitney(&[1.0; 40], &[1.0; 40]).unwrap().p, 1.0);
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    /// Two-sided 5 % of the normal distribution lie beyond 1.959964.
    #[test]
    fn large_samples_are_approximated() {
        assert!((upper_tail(1.959_964) - 0.025).abs() < 1e-6);
        assert!((upper_tail(0.0) - 0.5).abs() < 1e-7);
        let first: Vec<f64> = (0..31).map(|number| f64::from(number) + 0.3).collect();
        let second: Vec<f64> = (0..30).map(|number| f64::from(number * 2)).collect();
        let approximated = mann_whitney(&first, &second).unwrap().p;
        let ranks = doubled_ranks(&first, &second);
        let exact = exact_p(&ranks, first.len(), ranks[..first.len()].iter().sum());
        assert!((approximated - exact).abs() < 0.002, "{approximated} against {exact}");
    }
}
