//! All suites in one binary: linking and starting is paid once. A folder for each question (`docs/contributing.md`).

mod damage;
mod draws;
mod foreign;
mod house;
mod lanes;
mod random;
mod sources;
mod values;
