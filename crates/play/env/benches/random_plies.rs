//! Times of random plies in many games, as one loop and by the call. Both representations are
//! compared at the end, so that fast wrong games fail.

use std::hint::black_box;
use std::num::NonZeroUsize;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kalah::{Position, Rules};
use kalah_env::{Observations, OptionsError, VectorEnv, VectorEnvOptions};

const GAMES: usize = 4096;

/// The plies of each game before the measurement, so that the games are at different plies.
const WARM_UP_PLIES: usize = 200;

/// An environment with the buffers of all calls.
struct RandomPlies {
    env: VectorEnv,
    actions: Vec<i64>,
    rewards: Vec<i32>,
    dones: Vec<bool>,
    observations: Vec<u8>,
    mask: Vec<bool>,
}

impl RandomPlies {
    fn new(create: fn(VectorEnvOptions) -> Result<VectorEnv, OptionsError>) -> Self {
        let start = Position::start(6, 4, Rules::STANDARD).expect("a position");
        let games = NonZeroUsize::new(GAMES).expect("not 0");
        let env = create(VectorEnvOptions::new(start, games)).expect("valid options");
        let mut plies = Self {
            actions: vec![0; GAMES],
            rewards: vec![0; GAMES],
            dones: vec![false; GAMES],
            observations: vec![0; GAMES * env.observation_width()],
            mask: vec![false; GAMES * env.action_count()],
            env,
        };
        for _ in 0..WARM_UP_PLIES {
            plies.make_plies();
        }
        plies
    }

    fn sample(&mut self) {
        self.env
            .sample_actions(&mut self.actions)
            .expect("valid buffers");
    }

    fn step(&mut self) {
        self.env
            .step(&self.actions, &mut self.rewards, &mut self.dones)
            .expect("legal actions");
    }

    fn observe(&mut self) {
        self.env
            .write_observations(Observations::U8(&mut self.observations))
            .expect("valid buffers");
    }

    fn write_mask(&mut self) {
        self.env
            .write_legal_mask(&mut self.mask)
            .expect("valid buffers");
    }

    /// Makes a random ply in each game.
    fn make_plies(&mut self) {
        self.sample();
        self.step();
        self.observe();
        self.write_mask();
    }
}

fn random_plies(c: &mut Criterion) {
    let mut group = c.benchmark_group("random plies, 4096 games 6x4");
    group.throughput(Throughput::Elements(GAMES as u64));
    let mut plies = RandomPlies::new(VectorEnv::new);
    group.bench_function("sample, step, observe, mask", |b| {
        b.iter(|| {
            plies.make_plies();
            black_box(&mut plies);
        });
    });
    group.bench_function("sample", |b| {
        b.iter(|| {
            plies.sample();
            black_box(&mut plies);
        });
    });
    group.bench_function("sample, step", |b| {
        b.iter(|| {
            plies.sample();
            plies.step();
            black_box(&mut plies);
        });
    });
    group.bench_function("observe", |b| {
        b.iter(|| {
            plies.observe();
            black_box(&mut plies);
        });
    });
    group.bench_function("mask", |b| {
        b.iter(|| {
            plies.write_mask();
            black_box(&mut plies);
        });
    });
    let mut positions = RandomPlies::new(VectorEnv::with_positions);
    group.bench_function("sample, step, observe, mask, positions", |b| {
        b.iter(|| {
            positions.make_plies();
            black_box(&mut positions);
        });
    });
    group.finish();

    let [mut packed, mut positions] =
        [VectorEnv::new, VectorEnv::with_positions].map(RandomPlies::new);
    packed.make_plies();
    positions.make_plies();
    assert_eq!(packed.observations, positions.observations);
    assert_eq!(packed.rewards, positions.rewards);
}

criterion_group!(benches, random_plies);
criterion_main!(benches);
