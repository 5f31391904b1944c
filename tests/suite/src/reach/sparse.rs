//! What kernels with sparse results must have done: statements by the levels of the result (`D`ense, `C`ompressed,
//! `N`on-unique compressed, `S`ingleton), and what those that run on GPUs were.

use crate::case::Case;
use sparse_core::cin::grid::RowClass;
use sparse_core::llir::walk::visit_stmts;
use sparse_core::llir::{Program, Stmt};
use sparse_core::scalar::Monoid;

/// What the threads of a GPU do: which of the case's teams have rows, or buckets, in launches of their own, and what is done
/// with vectors.
pub fn teams(case: &Case, program: &Program) -> Vec<String> {
    let launches: Vec<&str> = program.launches().map(|l| l.name.as_str()).collect();
    let mut found = Vec::new();
    for RowClass { threads, .. } in &case.row_classes {
        for (who, of) in [(format!("fill_group{threads}"), "rows"), (format!("_group{threads}"), "buckets")] {
            let does = |name: &&str| name.ends_with(&who) && name.contains("_sort_") == (of == "buckets");
            if launches.iter().any(does) {
                found.push(format!("{of} of groups of {threads}"));
            }
        }
    }
    vectors(program, &mut found);
    found
}

/// How the threads of a GPU go to memory for several elements at once.
fn vectors(program: &Program, found: &mut Vec<String>) {
    for launch in program.launches() {
        visit_stmts(&launch.body, &mut |s| {
            let what = match s {
                Stmt::LoadVector { .. } => "a vector is loaded",
                Stmt::StoreVector { update: None, .. } => "a vector is stored",
                Stmt::StoreVector { update: Some(Monoid::Add), .. } => {
                    "a vector is added to what others add to"
                }
                Stmt::StoreVector { .. } => "a vector is combined with what others combine with",
                _ => return,
            };
            found.push(what.to_owned());
        });
    }
}

/// Every statement of the suite, and those by format that it draws often.
pub(super) const SPARSE: &[&str] = &[
    "AAᵀ into (C, C)",
    "AAᵀ into (D, C)",
    "AAᵀ into (N, S)",
    "A² into (C, C)",
    "A² into (D, C)",
    "A² into (N, S)",
    "AᵀA into (C, C)",
    "AᵀA into (C, D)",
    "AᵀA into (D, C)",
    "AᵀA into (N, S)",
    "AᵀDA into (C, C)",
    "AᵀDA into (C, D)",
    "AᵀDA into (D, C)",
    "AᵀDA into (N, S)",
    "MTTKRP into (D, C)",
    "TTM into (C, C, C)",
    "TTM into (C, C, D)",
    "TTM into (C, N, S)",
    "TTM into (D, C, C)",
    "TTM into (D, C, D)",
    "TTM into (D, D, C)",
    "TTM into (N, SN, S)",
    "TTV into (C, C)",
    "TTV into (C, D)",
    "TTV into (D, C)",
    "TTV into (N, S)",
    "a contraction into (C, C, C, C)",
    "a contraction into (D, C, D, D)",
    "a contraction into (N, SN, SN, S)",
    "a conversion into (C, C)",
    "a conversion into (C, C, C)",
    "a conversion into (C, D)",
    "a conversion into (D, C)",
    "a conversion into (D, C, C)",
    "a conversion into (N, S)",
    "a diagonal into (C)",
    "a masked product into (C, C)",
    "a masked product into (C, D)",
    "a masked product into (D, C)",
    "a masked product into (N, S)",
    "a product and a sum into (C, C)",
    "a product and a sum into (C, D)",
    "a product and a sum into (D, C)",
    "a product and a sum into (N, S)",
    "a product by elements into (C, C)",
    "a product by elements into (D, C)",
    "a product by elements into (N, S)",
    "a product into (C, C)",
    "a product into (C, D)",
    "a product into (D, C)",
    "a product into (N, S)",
    "a product of sums into (C, C)",
    "a product of sums into (D, C)",
    "a product with a dense matrix into (C, C)",
    "a product with a dense matrix into (D, C)",
    "a product with a dense matrix into (N, S)",
    "a product with a vector into (C)",
    "a product with a vector into (N)",
    "a scaled product into (C, C)",
    "a scaled product into (D, C)",
    "a scaled product into (N, S)",
    "a sum of many into (C, C)",
    "a sum of many into (D, C)",
    "a sum of many into (N, S)",
    "a sum of many into (C)",
    "a sum of products into (C, C)",
    "a sum of products into (D, C)",
    "a sum of products into (N, S)",
    "a sum of three into (C, C)",
    "a sum of three into (D, C)",
    "a sum of three into (N, S)",
    "a sum of two into (C, C)",
    "a sum of two into (D, C)",
    "a sum of two into (N, S)",
    "a transposition into (C, C)",
    "a transposition into (C, C, C)",
    "a transposition into (C, D)",
    "a transposition into (D, C)",
    "a transposition into (D, C, C)",
    "a transposition into (D, D, C)",
    "a transposition into (N, S)",
    "a transposition into (N, SN, S)",
    "a triple product into (C, C)",
    "a triple product into (C, D)",
    "a triple product into (D, C)",
    "a triple product into (N, S)",
    "an outer product into (C, C)",
    "an outer product into (C, C, C)",
    "an outer product into (C, C, C, C)",
    "an outer product into (D, C)",
    "an outer product into (D, C, D, D)",
    "an outer product into (N, S)",
    "sums of columns into (C)",
    "sums of columns into (C, C)",
    "sums of columns into (D, C)",
    "sums of columns into (N)",
    "sums of columns into (N, S)",
    "sums of rows into (C)",
    "sums of rows into (C, C)",
    "sums of rows into (D, C)",
    "vectors into (C)",
    "vectors into (N)",
    "on a GPU: a product",
    "on a GPU: a transposition",
    "scattered whole on a GPU",
    "another order first, on a CPU",
    "another order first, on a GPU",
    "a copied operand, on a CPU",
    "a copied operand, on a GPU",
    "a product of tensors by elements into (D, C)",
    "a background that is not the fill",
    "on a GPU: a background that is not the fill",
    "rows on warps",
    "rows on blocks",
    "rows on teams, parts of a loop inside",
    "on a GPU: a sum of two",
    "on a GPU: a sum of three",
    "on a GPU: a sum of many",
    "on a GPU: a product by elements",
    "on a GPU: an outer product",
    "on a GPU: TTV",
    "on a GPU: a masked product",
    "scheduled workspace List over 1",
    "scheduled workspace Hash over 1",
    "scheduled workspace Hash over 2",
    "scheduled workspace Sort over 1",
    "scheduled workspace Sort over 2",
    "workspace List over 1",
    "workspace Sort over 2",
    "workspace Sort over 3",
    "workspace Sort over 4",
    "a dimension of 0",
    "no entries",
    "one entry",
    "empty rows",
    "one huge row",
    "explicit zeros",
    "infinities or NaN",
];
