//! Space that is not claimed any more: what a crash between two map changes left, and drops that it interrupted.
//!
//! ```text
//!   allocate: GAM bit ── crash ── IAM bit        free: IAM bit ── crash ── GAM bit        ⇒ allocated, claimed by no chain
//! ```
//!
//! What always holds: only extents and single pages that no given chain claims are freed, each once. The caller names the
//! chains of all that lives, and nothing is allocated meanwhile. Who only looks may do so beside others: what a chain claims counts
//! if it lived before and after it was read.

use crate::check;
use std::collections::BTreeSet;

use crate::ask::Ask;
use crate::contract::{ExtentId, PageId, PageKind};
use crate::page::header::{self, PageLink};
use crate::space::map_pages::MapPages;
use crate::space::maps;
use crate::space::{Owner, SpaceError, SpaceManager};

/// What was freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reclaimed {
    /// Uniform extents.
    pub extents: u64,
    /// Pages of mixed extents.
    pub single_pages: u64,
}

/// How claims and maps agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimReport {
    /// Extents that two chains claim, or one twice: they would overwrite each other's pages.
    pub claimed_twice: Vec<ExtentId>,
    /// Extents that are claimed but free in the maps: another owner will get them.
    pub claimed_but_free: Vec<ExtentId>,
    /// Pages of chains that are free in the maps, or that two chains have.
    pub chain_pages: Vec<PageId>,
    /// What no chain claims.
    pub orphans: Reclaimed,
}

/// What chains claim.
#[derive(Debug, Default)]
struct Claims {
    extents: BTreeSet<ExtentId>,
    iam_pages: BTreeSet<PageId>,
    extents_twice: Vec<ExtentId>,
    pages_twice: Vec<PageId>,
}

/// The pages of a chain with what each claims; one that leads into itself or to a page of another kind ends there.
type Chain = Vec<(PageId, Vec<ExtentId>)>;

fn read_chain(ask: &Ask<'_>, pages: &dyn MapPages, first: PageId) -> Result<Chain, SpaceError> {
    let (mut chain, mut seen) = (Chain::new(), BTreeSet::new());
    let mut next = Some(first);
    while let Some(page) = next {
        let (mut claimed, mut link) = (Vec::new(), None);
        if seen.insert(page) {
            pages.read_map(ask, page, &mut |bytes| {
                if header::kind(bytes) != Some(PageKind::Iam) {
                    return;
                }
                if let Some(PageLink { file, page: start }) = maps::iam::first_page(bytes) {
                    let of_file = |extent| ExtentId { db: page.db, file, extent };
                    claimed = maps::set_bits(bytes, maps::interval_of(start.extent())).map(of_file).collect();
                }
                link = header::next(bytes);
            })?;
        }
        chain.push((page, claimed));
        next = link.map(|link| PageId { db: page.db, file: link.file, page: link.page });
    }
    Ok(chain)
}

impl Claims {
    /// Adds a chain; what follows a page that is known is so too.
    fn take(&mut self, chain: Chain) {
        for (page, claimed) in chain {
            if !self.iam_pages.insert(page) {
                self.pages_twice.push(page);
                return;
            }
            let (extents, twice) = (&mut self.extents, &mut self.extents_twice);
            twice.extend(claimed.into_iter().filter(|extent| !extents.insert(*extent)));
        }
    }

    fn take_chain(&mut self, ask: &Ask<'_>, pages: &dyn MapPages, first: PageId) -> Result<(), SpaceError> {
        self.take(read_chain(ask, pages, first)?);
        Ok(())
    }
}

/// Frees what none of the IAM chains claims that begin at `live`. A chain with a damaged page is an error: what it
/// claims is not known, so nothing is freed then.
///
/// # Errors
/// [`SpaceError`].
pub fn reclaim_orphans(
    space: &SpaceManager,
    ask: &Ask<'_>,
    pages: &dyn MapPages,
    live: &[PageId],
) -> Result<Reclaimed, SpaceError> {
    let mut claims = Claims::default();
    live.iter().try_for_each(|first| claims.take_chain(ask, pages, *first))?;
    let (mut extents, mut singles) = space.allocated();
    extents.retain(|extent| !claims.extents.contains(extent));
    singles.retain(|page| !claims.iam_pages.contains(page));
    space.free_extents(ask, pages, Owner::User, &extents)?;
    singles.iter().try_for_each(|page| space.free_page(ask, pages, *page))?;
    check!(
        {
            let (extents, singles) = space.allocated();
            extents.iter().all(|extent| claims.extents.contains(extent))
                && singles.iter().all(|page| claims.iam_pages.contains(page))
        },
        "space of database {} is claimed by no chain, after all such space was freed",
        space.supply.db
    );
    Ok(Reclaimed { extents: extents.len() as u64, single_pages: singles.len() as u64 })
}

/// What was read of chains and maps while others may have changed them.
#[derive(Debug)]
pub struct ClaimLook {
    /// By the first page of each.
    chains: Vec<(PageId, Result<Chain, SpaceError>)>,
    extents: BTreeSet<ExtentId>,
    singles: BTreeSet<PageId>,
}

impl ClaimLook {
    /// Reads the IAM chains that begin at `live`, then the maps.
    pub(crate) fn take(space: &SpaceManager, ask: &Ask<'_>, pages: &dyn MapPages, live: &[PageId]) -> ClaimLook {
        let chains = live.iter().map(|first| (*first, read_chain(ask, pages, *first))).collect();
        let (extents, singles) = space.allocated();
        ClaimLook { chains, extents: extents.into_iter().collect(), singles: singles.into_iter().collect() }
    }

    /// Compares what the chains claim with the maps, but for those that are not among `live` any more.
    ///
    /// # Errors
    /// [`SpaceError`] when one that lives cannot be read.
    pub fn report(self, live: &[PageId]) -> Result<ClaimReport, SpaceError> {
        let live: BTreeSet<PageId> = live.iter().copied().collect();
        let mut all = Claims::default();
        for (_, chain) in self.chains.into_iter().filter(|(first, _)| live.contains(first)) {
            all.take(chain?);
        }
        check!(
            all.extents_twice.iter().all(|extent| all.extents.contains(extent)),
            "an extent is claimed twice, and not once"
        );
        let mut chain_pages = all.pages_twice;
        chain_pages.extend(all.iam_pages.difference(&self.singles));
        Ok(ClaimReport {
            claimed_twice: all.extents_twice,
            claimed_but_free: all.extents.difference(&self.extents).copied().collect(),
            chain_pages,
            orphans: Reclaimed {
                extents: self.extents.difference(&all.extents).count() as u64,
                single_pages: self.singles.difference(&all.iam_pages).count() as u64,
            },
        })
    }
}
