//! Space that is not claimed any more: what a crash between two map changes left, and drops that it interrupted.
//!
//! ```text
//!   allocate: GAM bit ── crash ── IAM bit        free: IAM bit ── crash ── GAM bit        ⇒ allocated, claimed by no chain
//! ```
//!
//! What always holds: only extents and single pages that no given chain claims are freed, each once. The caller names the
//! chains of all that lives, and nothing is allocated meanwhile.

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

/// What the chains claim.
#[derive(Debug, Default)]
struct Claims {
    extents: BTreeSet<ExtentId>,
    iam_pages: BTreeSet<PageId>,
    extents_twice: Vec<ExtentId>,
    pages_twice: Vec<PageId>,
}

impl Claims {
    /// Reads a chain; one that leads into itself or to a page of another kind ends there.
    fn take_chain(&mut self, ask: &Ask<'_>, pages: &dyn MapPages, first: PageId) -> Result<(), SpaceError> {
        let mut next = Some(first);
        while let Some(page) = next {
            if !self.iam_pages.insert(page) {
                self.pages_twice.push(page);
                return Ok(());
            }
            let mut link = None;
            pages.read_map(ask, page, &mut |bytes| {
                if header::kind(bytes) != Some(PageKind::Iam) {
                    return;
                }
                if let Some(PageLink { file, page: start }) = maps::iam::first_page(bytes) {
                    let of_file = |extent| ExtentId { db: page.db, file, extent };
                    let claimed = maps::set_bits(bytes, maps::interval_of(start.extent())).map(of_file);
                    let (extents, twice) = (&mut self.extents, &mut self.extents_twice);
                    twice.extend(claimed.filter(|extent| !extents.insert(*extent)));
                }
                link = header::next(bytes);
            })?;
            next = link.map(|link| PageId { db: page.db, file: link.file, page: link.page });
        }
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

/// Compares what the IAM chains claim that begin at `live` with the maps. Nothing is allocated meanwhile.
///
/// # Errors
/// [`SpaceError`] when a chain cannot be read.
pub fn check_claims(
    space: &SpaceManager,
    ask: &Ask<'_>,
    pages: &dyn MapPages,
    live: &[PageId],
) -> Result<ClaimReport, SpaceError> {
    let mut claims = Claims::default();
    live.iter().try_for_each(|first| claims.take_chain(ask, pages, *first))?;
    let (extents, singles) = space.allocated();
    let (extents, singles): (BTreeSet<_>, BTreeSet<_>) = (extents.into_iter().collect(), singles.into_iter().collect());
    let mut chain_pages = claims.pages_twice;
    chain_pages.extend(claims.iam_pages.difference(&singles));
    Ok(ClaimReport {
        claimed_twice: claims.extents_twice,
        claimed_but_free: claims.extents.difference(&extents).copied().collect(),
        chain_pages,
        orphans: Reclaimed {
            extents: extents.difference(&claims.extents).count() as u64,
            single_pages: singles.difference(&claims.iam_pages).count() as u64,
        },
    })
}
