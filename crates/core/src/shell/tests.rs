//! Tables for the reader, the classification, launchers and patches; properties for any string.

mod classification;
mod launching;
mod reading;
