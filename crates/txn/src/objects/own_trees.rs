//! The trees that a session made: temporary ones as long as they live, durable ones as long as their transaction.

use millpond_storage::check;
use std::collections::HashMap;
use std::sync::Arc;

use millpond_access::ObjectId;
use millpond_access::tree::Tree;

use crate::error::TxnError;
use crate::kind::HeapKind;

#[derive(Debug)]
pub(crate) struct OwnTree {
    pub tree: Arc<Tree>,
    /// `None`: a tree of a durable database.
    pub kind: Option<HeapKind>,
    /// Dropped, but a rollback can bring it back.
    pub is_dropped: bool,
}

/// The first number of temporary trees.
const FIRST_TEMPORARY: u32 = 1 << 31;

/// By number: of a temporary tree its `hobt`.
#[derive(Debug, Default)]
pub(crate) struct OwnTrees {
    trees: HashMap<u32, OwnTree>,
    /// Numbers of durable ones, below those of temporary ones.
    next_durable: u32,
}

impl OwnTrees {
    pub(crate) fn add_temporary(&mut self, tree: &Arc<Tree>, kind: HeapKind) -> u32 {
        let number = number_of(tree);
        let own = OwnTree { tree: Arc::clone(tree), kind: Some(kind), is_dropped: false };
        assert!(number >= FIRST_TEMPORARY, "a temporary tree has {number}, a number of durable ones");
        assert!(self.trees.insert(number, own).is_none(), "two temporary trees of the number {number}");
        number
    }

    pub(crate) fn add_durable(&mut self, tree: &Arc<Tree>) -> u32 {
        self.next_durable = (self.next_durable + 1) & !FIRST_TEMPORARY;
        let number = self.next_durable;
        let own = OwnTree { tree: Arc::clone(tree), kind: None, is_dropped: false };
        assert!(self.trees.insert(number, own).is_none(), "two durable trees of the number {number}");
        number
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut OwnTree> {
        self.trees.get_mut(&number)
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<OwnTree> {
        self.trees.remove(&number)
    }

    /// What kind a temporary tree of this session is, if it is one and not dropped.
    pub(crate) fn live(&self, tree: &Arc<Tree>) -> Result<HeapKind, TxnError> {
        let found = self.trees.get(&number_of(tree)).filter(|own| !own.is_dropped && Arc::ptr_eq(&own.tree, tree));
        found.and_then(|own| own.kind).ok_or(TxnError::NoSuchObject(ObjectId(tree.ids().object_id)))
    }

    /// The transaction is over: durable trees are as good as any others.
    pub(crate) fn forget_durable(&mut self) {
        check!(
            self.next_durable > 0 || self.trees.values().all(|own| own.kind.is_some()),
            "a durable tree outlives its transaction"
        );
        if self.next_durable > 0 {
            self.trees.retain(|_, own| own.kind.is_some());
            self.next_durable = 0;
        }
    }

    pub(crate) fn temporary(&self, kind: Option<HeapKind>) -> Vec<u32> {
        let wanted = |own: &OwnTree| own.kind.is_some() && (kind.is_none() || own.kind == kind);
        self.trees.iter().filter(|(_, own)| wanted(own)).map(|(number, _)| *number).collect()
    }

    /// Work trees that only the session holds.
    pub(crate) fn forgotten_work(&self) -> Vec<u32> {
        let forgotten = |own: &OwnTree| own.kind == Some(HeapKind::Work) && Arc::strong_count(&own.tree) == 1;
        self.trees.iter().filter(|(_, own)| forgotten(own)).map(|(number, _)| *number).collect()
    }

    /// Whether the session made this very tree.
    pub(crate) fn has(&self, tree: &Arc<Tree>) -> bool {
        self.trees.values().any(|own| Arc::ptr_eq(&own.tree, tree))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }
}

/// The number of a temporary tree.
pub(crate) fn number_of(tree: &Tree) -> u32 {
    tree.ids().hobt as u32
}
