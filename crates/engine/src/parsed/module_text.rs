//! The text and the kind of a module, as its CREATE says them.

use std::sync::Arc;

use millpond_catalog::ModuleKind;
use millpond_tsql::ast::{self, DefinitionVerb};

/// The text that the catalog keeps: the whole batch, with the verb as CREATE; of a view of CREATE SCHEMA its own words.
#[must_use]
pub fn module_text(batch: &str, module: &ast::Module) -> Arc<str> {
    if let Some(span) = module.element_span {
        return Arc::from(&batch[span.start as usize..span.end as usize]);
    }
    if module.verb == DefinitionVerb::Create {
        return Arc::from(batch);
    }
    let span = module.verb_span;
    Arc::from(format!("{}CREATE{}", &batch[..span.start as usize], &batch[span.end as usize..]))
}

/// Its kind, as the catalog names it.
#[must_use]
pub fn kind_of(module: &ast::Module) -> ModuleKind {
    match &module.kind {
        ast::ModuleKind::View(_) => ModuleKind::View,
        ast::ModuleKind::Procedure { .. } => ModuleKind::Procedure,
        ast::ModuleKind::Function { returns: ast::Returns::Scalar(_), .. } => ModuleKind::ScalarFunction,
        ast::ModuleKind::Function { returns: ast::Returns::Query, .. } => ModuleKind::InlineFunction,
        ast::ModuleKind::Function { .. } => ModuleKind::TableFunction,
        ast::ModuleKind::Trigger { .. } => ModuleKind::Trigger,
    }
}

/// The word for a kind in messages.
#[must_use]
pub fn kind_word(kind: ModuleKind) -> &'static str {
    match kind {
        ModuleKind::View => "view",
        ModuleKind::Procedure => "procedure",
        ModuleKind::ScalarFunction | ModuleKind::InlineFunction | ModuleKind::TableFunction => "function",
        ModuleKind::Trigger => "trigger",
        ModuleKind::Default => "default",
        ModuleKind::Rule => "rule",
    }
}
