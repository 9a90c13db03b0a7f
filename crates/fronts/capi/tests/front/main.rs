//! Tests that compile and run the C++ front.

mod compilers;
mod cpp_build;
mod kit;
mod mutants;
mod programs;
mod readme;
mod replaced;
