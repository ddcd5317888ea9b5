import { many } from './plural.ts'

/** Reasons of verdicts, by the sentences of the platform. */
const reasons: Readonly<Record<string, string>> = {
  'the candidate fails more often': 'The candidate fails more often than the live version.',
  'the candidate answers more slowly': 'The candidate answers more slowly than the live version.',
  'the candidate failed more often until the stage ended': 'Over the whole stage the candidate failed more often.',
  'the candidate gives other result codes':
    'The candidate gives other result codes than the live version. If that is intended, pass the stage.',
  'the stage is still running': 'No guard objects; the stage continues.',
  'the candidate fails less than twice as often': 'It is proved that the candidate fails less than twice as often.',
  'the stage ended without an alarm (on_inconclusive)':
    'The time is over and no guard objects: the settings allow that.',
  'the time is over with too few errors to compare (on_inconclusive)':
    'The time is over, but there are too few errors to compare both versions. Pass the stage, or wait.',
  'the time is over with too few requests (on_inconclusive)':
    'The time is over, but the candidate had too few requests. Pass the stage, or wait.',
}

export const rollout = {
  stages: 'Stages',
  stageOf: (number: number, count: number, environment: string) => `Stage ${number} of ${count} in ${environment}`,
  share: (percent: number) => `${percent} % of requests`,
  begunStates: {
    coming: 'not begun',
    running: 'running',
    held: 'held',
    paused: 'paused',
    passed: 'passed',
    ended: 'ended',
  },
  left: (time: string) => `${time} left`,
  overSince: (time: string) => `time over since ${time}`,
  stopped: 'paused: the clock of the stage stands still',
  from: (from: string, to: string) => `${from} to ${to}`,
  duration: (time: string) => `for ${time}`,
  requests: (count: string, needed: string | undefined) =>
    needed === undefined ? `${count} requests to the candidate` : `${count} of ${needed} requests to the candidate`,
  units: {
    s: (count: number) => `${count} s`,
    min: (count: number) => `${count} min`,
    h: (hours: number, minutes: number) => (minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`),
    d: (days: number, hours: number) =>
      hours === 0 ? many(days, 'day', 'days') : `${many(days, 'day', 'days')} ${hours} h`,
  },
  headline: {
    running: {
      preflight: (environment: string) => `Checking the engines of ${environment}`,
      canary: (environment: string) => `Bringing the candidate to the engines of ${environment}`,
      full: (environment: string) => `Bringing the release to all engines of ${environment}`,
      verify: (environment: string) => `Waiting until every engine of ${environment} reports the content`,
      done: (environment: string) => `${environment} is done`,
    },
    split: (percent: number, environment: string) =>
      `${percent} % of the requests to ${environment} go to the candidate`,
    paused: (environment: string) => `Paused in ${environment}`,
    completed: (environments: string) => `Live in ${environments}`,
    failed: 'The rollout failed',
    cancelled: 'The rollout was stopped; the candidate is removed',
    rolled_back: 'Rolled back: the earlier content is live again',
  },
  decided: {
    continue: 'No guard objects.',
    promote: 'The stage is passed.',
    hold: 'The stage is held until a person decides or proof exists.',
    rollback: 'A guard objects.',
  },
  reasons,
  tiles: {
    errors: 'Errors',
    latency: 'Slow answers',
    codes: 'Result codes',
  },
  alarms: {
    errors: 'Fails more often',
    latency: 'Answers more slowly',
    codes: 'Other results than the live version',
  },
  calm: {
    errors: 'No sign of more errors',
    latency: 'No sign of slower answers',
    codes: 'Same results as the live version',
  },
  proved: 'Proved: fails less than twice as often',
  unmeasured: 'Not measured yet: the first minute of the first stage sets the limit',
  slowAbove: (time: string) => `slower than ${time}`,
  candidate: 'Candidate',
  live: 'Live',
  predictedShare: 'Predicted',
  code: 'Result',
  rate: (count: string, total: string, share: string) => `${count} of ${total} (${share})`,
  ratio: {
    none: 'Too few events for a ratio',
    both: (low: string, high: string) => `${low} to ${high} times as often as live`,
    low: (low: string) => `at least ${low} times as often as live`,
    high: (high: string) => `at most ${high} times as often as live`,
    confidence: '95 % at all looks together',
  },
  limit: 'twice as often',
  evidence: (e: string, alarm: string) => `Evidence ${e}; alarm from ${alarm}`,
  evidenceOf: (name: string) => `Evidence: ${name}`,
  predicted: (count: string) => `Predicted by ${count} recorded decisions`,
  notPredicted: 'No recorded decision predicts the results',
  acts: {
    next: (percent: number) => `Send ${percent} % to the candidate now`,
    last: 'Send all requests to the new version now',
    pauseAt: (percent: number) => `Stay at ${percent} %`,
    pause: 'Stop before the next step',
    resume: 'Continue the rollout',
    abort: 'Remove the candidate and end the rollout',
  },
  sure: {
    abort: 'Remove the candidate?',
    abortText: 'Every request gets the live version again. The release is withdrawn: a new one is needed to try again.',
    promote: 'Pass the stage against a guard?',
    promoteText: 'A guard objects to this candidate. More requests would get it.',
  },
  engines: 'Engines by content',
  engineGroup: {
    pending: (count: number, environment: string) => `${many(count, 'engine waits', 'engines wait')} in ${environment}`,
    delivering: (count: number, environment: string) =>
      `${many(count, 'engine gets', 'engines get')} the content in ${environment}`,
    verifying: (count: number, environment: string) =>
      `${many(count, 'engine confirms', 'engines confirm')} the content in ${environment}`,
    live: (count: number, environment: string) =>
      `${many(count, 'engine has', 'engines have')} the release in ${environment}`,
    skipped: (count: number, environment: string) =>
      `${many(count, 'engine was', 'engines were')} unavailable in ${environment} and will get it later`,
    failed: (count: number, environment: string) => `${many(count, 'engine', 'engines')} failed in ${environment}`,
    rolled_back: (count: number, environment: string) =>
      `${many(count, 'engine has', 'engines have')} the earlier content again in ${environment}`,
  },
  canaryOnly: 'for canaries alone',
  moreVerdicts: (count: number) => `and ${many(count, 'earlier look', 'earlier looks')} with the same result`,
  verdictLine: (requests: string, candidate: string, live: string) =>
    `${requests} requests to the candidate; errors: candidate ${candidate}, live ${live}`,
  preflight: (servers: number, skipped: number) =>
    skipped === 0
      ? many(servers, 'engine takes part', 'engines take part')
      : `${many(servers, 'engine takes part', 'engines take part')}, ${skipped} skipped`,
  stageStarted: (number: number, percent: number, end: string) =>
    `stage ${number}: ${percent} % of requests until ${end}`,
  stagePassed: (number: number) => `stage ${number}`,
}

export type RolloutTexts = typeof rollout
