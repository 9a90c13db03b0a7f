//! The C++ front, compiled with g++ and run.

mod compilers;
mod kit;
mod mutants;
mod programs;
mod readme;
mod replaced;
mod workshop;
