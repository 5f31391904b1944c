//! A result whose levels cannot be appended to in order, dense ones between sparse ones: packed from the list of its
//! entries, which are ordered and different.
//!
//! Entries have positions at each level. At a dense one they are computed; at a compressed one, with the singletons of its
//! tuples, the entries that differ from the one before in a coordinate down to there are counted:
//!
//! ```text
//! launch firsts: first[e] = does entry e differ from e − 1?
//! launches scan: first[e] = how many stand before e, m = how many there are
//! read m, of all levels at once; allocate pos[parents + 1], crd[m], parent[m]
//! launch pack:   crd[first[e]] = coordinate of e, parent[first[e]] = its parent's position     for every first one
//! launch pos:    pos[p] = the first of the m whose parent is p or more                          for every parent
//! ```
//!
//! At the last level each entry has its own, so that the list's coordinates are the level's, and, if no dense level follows,
//! its values the result's. Else they are stored at their positions among fills. Where the list has room for more entries than
//! there are, because the host knows only a bound, it learns their number with the others, and the list is copied.
//!
//! A singleton below a unique level has an entry for each parent, which is checked:
//!
//! ```text
//! launch parents: parent[e] = its parent's position                              for every entry
//! launch misfits: misfits += 1 unless the entries of p are one                   for every parent p, of as many as entries and one more
//! fits misfits, when the counts are read; allocate crd[parents]
//! launch pack:    crd[parent[e]] = coordinate of e                               for every first one of a parent's
//! ```

use super::super::region::guard;
use super::super::{Lowerer, internal, joined};
use crate::diag::Diagnostic;
use crate::format::{FormatSpec, Level};
use crate::llir::{Array, Block, Bound, BufferId, Expr, FetchOp, MOST, Step, Stmt, Ty, VarId, build};
use crate::scalar::Value;
use std::ops::Range;

/// The list of the result's entries.
struct Entries {
    /// By level.
    crd: Vec<BufferId>,
    vals: BufferId,
    /// How many there is room for.
    room: Expr,
    /// How many there are, on the host, when that has read the counts, and on the device.
    count: (Expr, Expr),
    /// Is the list as long as there are entries, so that its arrays can be the result's?
    is_exact: bool,
}

/// Steps that pack, in order.
#[derive(Default)]
struct Packing {
    /// Launches that count.
    counts: Vec<Step>,
    /// The host learns the counts, all by one wait.
    reads: Vec<Step>,
    /// Launches that store, and memory for that.
    stores: Vec<Step>,
    /// How many parents have not one entry, a level with singletons each.
    misfits: Vec<BufferId>,
}

/// Where entries are at a level.
struct Positions {
    at: At,
    /// Dense levels below that.
    dense: Vec<usize>,
    /// How many positions the level above them has, on the host, and on the device.
    count: (Expr, Expr),
}

enum At {
    /// All at the root's only one.
    Root,
    /// Each at its own.
    Entry,
    /// At that of the first ones like them, one less than how many of these stand before the next entry.
    First(BufferId),
    /// At those in an array.
    In(BufferId),
}

impl Entries {
    /// What a thread does for its number, of so many; one that takes turns has no others.
    fn guarded(&self, number: VarId, all: &Expr, body: Block) -> Block {
        if self.is_exact { guard(build::lt(number, all.clone()), body) } else { body }
    }
}

impl Lowerer<'_> {
    /// Steps that pack the list which other steps have made.
    ///
    /// # Errors
    /// Steps that make no list, or a level that launches cannot make: a mistake of the compiler.
    pub(in super::super) fn pack(
        &mut self,
        packed: &FormatSpec,
        steps: &[Step],
    ) -> Result<Vec<Step>, Box<Diagnostic>> {
        if let Some(level) = packed.levels.iter().find(|l| !l.is_full() && !l.lists_coordinates()) {
            return Err(internal(self.kernel, &format!("launches pack no `{level}` level")));
        }
        let mut packing = Packing::default();
        let Some(entries) = self.take_list(packed, steps, &mut packing) else {
            return Err(internal(self.kernel, "what is packed is no list of entries"));
        };
        let one = Expr::Index(1);
        let mut above = Positions { at: At::Root, dense: vec![], count: (one.clone(), one) };
        let mut level = 0;
        while level < packed.rank() {
            if packed.levels[level] == Level::Dense {
                above.dense.push(level);
                level += 1;
                continue;
            }
            let tuple = packed.tuple(level);
            level = tuple.end;
            above = match packed.has_one_child(tuple.start) {
                true => self.pack_lone(&entries, &above, tuple, &mut packing),
                false => self.pack_tuple(&entries, &above, tuple, &mut packing),
            };
        }
        if !above.dense.is_empty() {
            packing.stores.extend(self.pack_values(&entries, &above));
        }
        Ok(joined(joined(packing.counts, packing.reads), packing.stores))
    }

    /// The list's arrays, which are the result's where the last tuples are, and gone after the call elsewhere.
    fn take_list(&mut self, packed: &FormatSpec, steps: &[Step], packing: &mut Packing) -> Option<Entries> {
        let (t, rank) = (self.out.tensor, packed.rank());
        let find = |array| self.buffers.iter().position(|b| b.array == array).map(|at| BufferId(at as u32));
        let pos = find(Array::Pos(t, 0))?;
        let crd: Vec<BufferId> = (0..rank).map(|l| find(Array::Crd(t, l))).collect::<Option<_>>()?;
        let vals = find(Array::Vals(t))?;
        let room = steps.iter().find_map(|step| match step {
            Step::Allocate { buffer, len, .. } if *buffer == vals => Some(len.clone()),
            _ => None,
        })?;
        let is_room = |step: &Step| matches!(step, Step::AtMost { var, .. } if room.is_var(*var));
        let is_exact = !steps.iter().any(is_room);
        let tuple = (0..rank).map(|l| packed.tuple(l)).find(|tuple| tuple.end == rank)?;
        let last = if packed.levels[rank - 1] == Level::Dense || !is_exact { rank..rank } else { tuple };
        let name = self.kernel.tensors[t.index()].name.to_string();
        let mut local = vec![(pos, "_pos".to_owned())];
        local.extend((0..last.start).map(|l| (crd[l], format!("{}_crd", l + 1))));
        if last.is_empty() {
            local.push((vals, "_vals".into()));
        }
        for (buffer, what) in local {
            self.buffers[buffer.index()].name = self.unique(&format!("{name}_list{what}"));
            self.buffers[buffer.index()].array = Array::Local;
        }
        let on_host = if is_exact { room.clone() } else { self.count_of(&name, pos, 1, packing) };
        let count = (on_host, build::load(pos, Expr::Index(1)));
        Some(Entries { crd, vals, room, count, is_exact })
    }

    /// A number that launches have counted, for the steps after the one that waits.
    fn count_of(&mut self, name: &str, buffer: BufferId, index: u64, packing: &mut Packing) -> Expr {
        let var = self.fresh(&format!("{name}_len"), Ty::Index);
        packing.reads.push(Step::Read { var, buffer, index: Expr::Index(index) });
        var.into()
    }

    /// The position of an entry, or of the dense levels' element that it is in.
    fn entry_position(&self, entries: &Entries, p: &Positions, entry: VarId) -> Expr {
        let at = match p.at {
            At::Root => Expr::Index(0),
            At::Entry => Expr::Var(entry),
            At::First(firsts) => {
                build::sub(build::load(firsts, build::add(entry, Expr::Index(1))), Expr::Index(1))
            }
            At::In(positions) => build::load(positions, entry),
        };
        p.dense.iter().fold(at, |at, &l| {
            build::add(build::mul(at, self.extent(self.out.vars[l])), build::load(entries.crd[l], entry))
        })
    }

    /// Is it the tuple of the last levels?
    fn is_last(&self, tuple: &Range<usize>) -> bool {
        tuple.end == self.out.vars.len()
    }

    /// What arrays for a level are named after.
    fn level_name(&self, level: usize) -> String {
        format!("{}{}", self.kernel.tensors[self.out.tensor.index()].name, level + 1)
    }

    /// How many positions there are, with those of dense levels.
    fn position_count(&self, p: &Positions) -> (Expr, Expr) {
        let size = |&l: &usize| self.extent(self.out.vars[l]);
        let all = |count: &Expr| p.dense.iter().map(size).fold(count.clone(), build::mul);
        (all(&p.count.0), all(&p.count.1))
    }

    /// The arrays of a compressed level and the singletons of its tuples, and where entries are below.
    fn pack_tuple(
        &mut self,
        entries: &Entries,
        above: &Positions,
        tuple: Range<usize>,
        packing: &mut Packing,
    ) -> Positions {
        let (t, level, last) = (self.out.tensor, tuple.start, self.is_last(&tuple));
        let name = self.level_name(level);
        let below = if last {
            Positions { at: At::Entry, dense: vec![], count: entries.count.clone() }
        } else {
            let (firsts, count) = self.firsts(entries, &name, tuple.end, packing);
            Positions { at: At::First(firsts), dense: vec![], count }
        };
        let mut steps = Vec::new();
        let allocate = |buffer, len: &Expr| Step::Allocate { buffer, len: len.clone(), init: None };
        let all_at_root = matches!(above.at, At::Root) && above.dense.is_empty();
        let (parents_host, parents) = self.position_count(above);
        let pos = self.out_array(Array::Pos(t, level));
        steps.push(allocate(pos, &build::add(parents_host.clone(), Expr::Index(1))));

        let entry = self.fresh("entry", Ty::Index);
        let place = self.fresh("place", Ty::Index);
        let mut stores = Vec::new();
        if !last || !entries.is_exact {
            for l in tuple {
                let crd = self.out_array(Array::Crd(t, l));
                steps.push(allocate(crd, &below.count.0));
                stores.push((crd, build::load(entries.crd[l], entry)));
            }
        }
        if last && !entries.is_exact {
            let vals = self.out_values();
            steps.push(allocate(vals, &below.count.0));
            stores.push((vals, build::load(entries.vals, entry)));
        }
        let parent = (!all_at_root).then(|| self.device_array(&format!("{name}_parents")));
        if let Some(parent) = parent {
            steps.push(allocate(parent, &below.count.0));
            stores.push((parent, self.entry_position(entries, above, entry)));
        }
        if !stores.is_empty() {
            let stores =
                stores.into_iter().map(|(buffer, value)| Stmt::Store { buffer, index: place.into(), value });
            let body = match below.at {
                At::First(firsts) => {
                    let mut body = vec![Stmt::Let { var: place, value: build::load(firsts, entry) }];
                    let next = build::load(firsts, build::add(entry, Expr::Index(1)));
                    body.extend(guard(build::lt(place, next), stores.collect()));
                    body
                }
                _ => [Stmt::Let { var: place, value: entry.into() }].into_iter().chain(stores).collect(),
            };
            let body = guard(build::lt(entry, entries.count.1.clone()), body);
            steps.push(self.by_threads(&format!("pack{}", level + 1), entry, entries.count.0.clone(), body));
        }

        let p = self.fresh("p", Ty::Index);
        let all = below.count.1.clone();
        let begin = match parent {
            Some(parent) => build::search(Bound::Lower, parent, Expr::Index(0), all, p),
            None => build::select(build::eq(p, Expr::Index(0)), Expr::Index(0), all),
        };
        let store = Stmt::Store { buffer: pos, index: p.into(), value: begin };
        let body = guard(build::le(p, parents), vec![store]);
        let threads = build::add(parents_host, Expr::Index(1));
        steps.push(self.by_threads(&format!("pos{}", level + 1), p, threads, body));
        packing.stores.extend(steps);
        below
    }

    /// The coordinates of singletons below a unique level, and where entries are below: at the same positions.
    fn pack_lone(
        &mut self,
        entries: &Entries,
        above: &Positions,
        tuple: Range<usize>,
        packing: &mut Packing,
    ) -> Positions {
        let (t, level, last) = (self.out.tensor, tuple.start, self.is_last(&tuple));
        let name = self.level_name(level);
        let (all_host, all) = entries.count.clone();
        let (parents_host, parents) = self.position_count(above);
        let (counts, parent) = self.parents_of(entries, above, &name);
        packing.counts.extend(counts);

        let misfits = self.device_array(&format!("{name}_misfits"));
        let [p, begin, end] = ["p", "begin", "end"].map(|name| self.fresh(name, Ty::Index));
        let find = |bound| build::search(bound, parent, Expr::Index(0), all.clone(), p);
        let mut of_parent = vec![
            Stmt::Let { var: begin, value: find(Bound::Lower) },
            Stmt::Let { var: end, value: find(Bound::Upper) },
        ];
        let one = || Expr::Index(1);
        let several = tuple.clone().map(|l| {
            let last = build::load(entries.crd[l], build::sub(end, one()));
            build::ne(build::load(entries.crd[l], begin), last)
        });
        let not_one = several.fold(build::eq(begin, end), |a, b| Expr::Or(Box::new(a), Box::new(b)));
        let (index, value) = (Expr::Index(0), one());
        of_parent.extend(guard(
            not_one,
            vec![Stmt::Fetch { op: FetchOp::Add, var: None, buffer: misfits, index, value }],
        ));
        // Of more parents than entries one of the first has none.
        let looked_at =
            |parents: &Expr, all: &Expr| build::min(parents.clone(), build::add(all.clone(), one()));
        let on_device = looked_at(&parents, &all);
        // Below what does not fit positions are in no order, and nothing is left to find out.
        let of_parent = packing.misfits.iter().fold(of_parent, |body, above| {
            guard(build::eq(build::load(*above, Expr::Index(0)), Expr::Index(0)), body)
        });
        packing.misfits.push(misfits);
        let body = entries.guarded(p, &on_device, of_parent);
        packing.counts.push(Step::Allocate { buffer: misfits, len: one(), init: Some(Value::I32(0)) });
        // How many parents there are may be counted as well.
        let threads = match above.at {
            At::Root => looked_at(&parents_host, &entries.room),
            _ => build::add(entries.room.clone(), one()),
        };
        let name = format!("misfits{}", level + 1);
        packing.counts.push(self.by_all(&name, p, (&threads, &on_device), entries.is_exact, body));
        let (columns, len) = (entries.crd.clone(), all_host.clone());
        packing.reads.push(Step::Fits { misfits, columns, len });
        // Each entry is the only one of its parent then, and at its position.
        if last && entries.is_exact {
            return Positions { at: At::Entry, dense: vec![], count: entries.count.clone() };
        }

        let (entry, place) = (self.fresh("entry", Ty::Index), self.fresh("place", Ty::Index));
        let (mut steps, mut stores) = (Vec::new(), Vec::new());
        let mut store = |buffer, from| {
            steps.push(Step::Allocate { buffer, len: parents_host.clone(), init: None });
            stores.push(Stmt::Store { buffer, index: place.into(), value: build::load(from, entry) });
        };
        for l in tuple {
            store(self.out_array(Array::Crd(t, l)), entries.crd[l]);
        }
        if last {
            store(self.out_values(), entries.vals);
        }
        let before = build::load(parent, build::sub(entry, one()));
        let first = Expr::Or(Box::new(build::eq(entry, Expr::Index(0))), Box::new(build::ne(before, place)));
        let mut body = vec![Stmt::Let { var: place, value: build::load(parent, entry) }];
        body.extend(guard(first, stores));
        let body = guard(build::lt(entry, all), body);
        steps.push(self.by_threads(&format!("pack{}", level + 1), entry, all_host, body));
        packing.stores.extend(steps);
        Positions { at: At::In(parent), dense: vec![], count: (parents_host, parents) }
    }

    /// By entry, its parent's position: in a dense level at the root its coordinate there. One that is no index, of more parents
    /// than can be, is the largest: then the entries do not fit, which is found by the others.
    fn parents_of(&mut self, entries: &Entries, above: &Positions, name: &str) -> (Vec<Step>, BufferId) {
        if let (At::Root, [level]) = (&above.at, &above.dense[..]) {
            return (vec![], entries.crd[*level]);
        }
        let parent = self.device_array(&format!("{name}_parents"));
        let entry = self.fresh("entry", Ty::Index);
        let (room, all) = (entries.room.clone(), entries.count.1.clone());
        let value = match self.entry_position(entries, above, entry) {
            wide if !above.dense.is_empty() => build::min(wide, Expr::Index(MOST)),
            narrow => narrow,
        };
        let store = Stmt::Store { buffer: parent, index: entry.into(), value };
        let body = entries.guarded(entry, &all, vec![store]);
        let steps = vec![
            Step::Allocate { buffer: parent, len: room.clone(), init: None },
            self.by_all(&format!("parents_{name}"), entry, (&room, &all), entries.is_exact, body),
        ];
        (steps, parent)
    }

    /// Where the first ones stand of entries whose first coordinates are the same, so many of these, and how many they are.
    fn firsts(
        &mut self,
        entries: &Entries,
        name: &str,
        coordinates: usize,
        packing: &mut Packing,
    ) -> (BufferId, (Expr, Expr)) {
        let firsts = self.device_array(&format!("{name}_firsts"));
        let (room, on_device) = (entries.room.clone(), entries.count.1.clone());
        let entry = self.fresh("entry", Ty::Index);
        let before = build::sub(entry, Expr::Index(1));
        let crd = &entries.crd[..coordinates];
        let differs =
            crd.iter().map(|crd| build::ne(build::load(*crd, before.clone()), build::load(*crd, entry)));
        let first = differs.fold(build::eq(entry, Expr::Index(0)), |a, b| Expr::Or(Box::new(a), Box::new(b)));
        let one = build::select(first, Expr::Index(1), Expr::Index(0));
        let store = Stmt::Store { buffer: firsts, index: entry.into(), value: one };
        let body = entries.guarded(entry, &on_device, vec![store]);
        let many = self.device_array(&format!("{name}_many"));
        let len = build::add(room.clone(), Expr::Index(1));
        packing.counts.extend([
            Step::Allocate { buffer: firsts, len, init: None },
            Step::Allocate { buffer: many, len: Expr::Index(1), init: None },
            self.by_all(&format!("firsts_{name}"), entry, (&room, &on_device), entries.is_exact, body),
        ]);
        let names = [&format!("{name}_first_sums")[..], &format!("_{name}_firsts")];
        packing.counts.extend(self.scan_for(firsts, names, &room, &on_device, Some(many)));
        let all = self.count_of(name, many, 0, packing);
        (firsts, (all, build::load(firsts, on_device)))
    }

    /// Values at their positions in dense levels, fills at the others.
    fn pack_values(&mut self, entries: &Entries, at: &Positions) -> Vec<Step> {
        let vals = self.out_values();
        let entry = self.fresh("entry", Ty::Index);
        let index = self.entry_position(entries, at, entry);
        let store = Stmt::Store { buffer: vals, index, value: build::load(entries.vals, entry) };
        let body = guard(build::lt(entry, entries.count.1.clone()), vec![store]);
        vec![
            Step::Allocate { buffer: vals, len: self.position_count(at).0, init: Some(self.out.fill) },
            self.by_threads("pack_values", entry, entries.count.0.clone(), body),
        ]
    }
}
