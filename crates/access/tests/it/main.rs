//! Stories of trees over real databases: a model beside them, threads against each other, power cuts.

mod crash;
mod graft;
mod heap_sample;
mod lob;
mod rig;
mod run;
mod stress;
mod tree_fill;
mod tree_model;
