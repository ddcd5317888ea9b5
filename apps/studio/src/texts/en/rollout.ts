import { many } from './plural.ts'

/** Reasons of verdicts, by the platform's sentence. */
const reasons: Readonly<Record<string, string>> = {
  'the candidate fails more often': 'The candidate fails more often than the live version.',
  'the candidate answers more slowly': 'The candidate answers more slowly than the live version.',
  'the candidate failed more often until the stage ended': 'Over the whole stage the candidate failed more often.',
  'the candidate gives other result codes':
    'The candidate gives other result codes than the live version. If that is intended, pass the stage.',
  'the candidate gives other result codes than expected':
    'The candidate gives other result codes than the live version, beyond the changes that were expected.',
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
  title: 'Rollout',
  notStarted: 'This release has not been started.',
  toReview: 'Review',
  to: 'to',
  takenOut: 'taken out',
  canaryRuns: 'canary, live',
  waitsForYou: 'waits for you',
  safe: 'Safe so far.',
  held: 'It waits for you.',
  waitsAt: (time: string) => `At ${time} it waits for you, because result codes shift.`,
  continuesAt: (time: string, percent: number | undefined) =>
    percent === undefined ? `At ${time} it continues with everyone.` : `At ${time} it continues with ${percent} %.`,
  decidesAt: (time: string) =>
    `At ${time} it continues if the errors are compared clearly, and otherwise waits for you.`,
  stages: 'Stages',
  shareFor: (percent: number, time: string) => `${percent} % for ${time}`,
  begunStates: {
    coming: 'not begun',
    running: 'running',
    held: 'held',
    paused: 'paused',
    passed: 'passed',
    ended: 'ended',
  },
  check: 'Check',
  checks: 'are all engines ready?',
  checked: (time: string, engines: number) => `${time}, ${many(engines, 'engine', 'engines')}`,
  everyone: 'Everyone',
  everyoneHas: 'on all engines',
  everyoneLater: 'after the stages',
  everyoneTogether: 'all engines together',
  verify: 'Verify',
  verifies: 'every engine reports it',
  verified: (time: string) => `done ${time}`,
  stageComing: 'when the stage before it is passed',
  stageSkipped: 'skipped',
  stageOpen: (from: string, to: string, count: string, needed: string | undefined) =>
    needed === undefined
      ? `since ${from}, ends ${to}, ${count} candidate requests`
      : `since ${from}, ends ${to} with ${needed} candidate requests; ${count} so far`,
  stageEnded: {
    passed: (time: string, count: string) => `passed ${time}, ${count} requests`,
    ended: (time: string, count: string) => `ended ${time}, ${count} requests`,
  },
  target: (percent: number) => `Target ${percent} %,`,
  actual: (share: string) => `actual ${share}`,
  splitLabel: (candidate: string, live: string) =>
    `${candidate} requests to the candidate, ${live} to the live version`,
  splitCandidate: (version: string, count: string) => `${version === '' ? 'candidate' : version} · ${count}`,
  splitLive: (version: string, count: string) => `${version === '' ? 'live' : `${version}, live`} · ${count} requests`,
  sticky: 'a customer stays on one side',
  left: (time: string) => `${time} left`,
  overSince: (time: string) => `time over for ${time}`,
  stopped: 'paused: the clock of the stage stands still',
  units: {
    s: (count: number) => `${count} s`,
    min: (count: number) => `${count} min`,
    h: (hours: number, minutes: number) => (minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`),
    d: (days: number, hours: number) =>
      hours === 0 ? many(days, 'day', 'days') : `${many(days, 'day', 'days')} ${hours} h`,
  },
  headline: {
    running: {
      preflight: (environment: string) => `Checking the engines of ${environment}.`,
      canary: (environment: string) => `Bringing the candidate to the engines of ${environment}.`,
      full: (environment: string) => `Bringing the release to all engines of ${environment}.`,
      verify: (environment: string) => `Waiting until every engine of ${environment} reports the content.`,
      done: (environment: string) => `${environment} is done.`,
    },
    paused: (environment: string) => `Paused in ${environment}. It waits for you.`,
    completed: (environments: string) => `Live in ${environments}.`,
    failed: 'The rollout failed.',
    cancelled: 'The rollout was stopped; the candidate is removed.',
    rolled_back: 'Rolled back: the earlier content is live again.',
  },
  reasons,
  tiles: {
    errors: 'Errors',
    latency: 'Latency',
    codes: 'Result codes',
  },
  states: {
    collecting: 'collecting',
    few: 'few requests',
    safe: 'safe so far',
    alarm: 'alarm',
    shifts: 'shifts',
    asReviewed: 'shifts, as reviewed',
  },
  points: 'points',
  pointsSlower: (time: string) => `points slower than ${time}`,
  pointsOf: (code: string) => `points ${code}`,
  between: (low: string, high: string) => `, between ${low} and ${high}`,
  shares: {
    errors: (candidate: string, live: string) => `${candidate} of the candidate, ${live} of live.`,
    latency: (candidate: string, live: string) => `${candidate} of the candidate, ${live} of live are that slow.`,
  },
  chart: (name: string, estimate: string, low: string, high: string) =>
    `${name}: the candidate differs by ${estimate} points, between ${low} and ${high}`,
  limitWord: { pause: 'pauses', rollback: 'rolls back' },
  noLimit: 'Too few requests for an alarm.',
  noRequests: 'No request was compared yet.',
  proved: 'Proved: fails less than twice as often.',
  unmeasured: 'Not measured yet: the first minute of the first stage sets the limit of a slow answer.',
  far: {
    far: 'Far from an alarm',
    half: 'Half way to an alarm',
    close: 'Close to an alarm',
    alarm: 'Alarm',
  },
  details: 'Details',
  evidence: (e: string, alarm: string) => `Evidence ${e}, alarm at ${alarm}`,
  evidenceOf: (name: string) => `Evidence: ${name}`,
  codesHold: 'A shift of result codes holds the stage, and never rolls back.',
  codeShare: (candidate: string, live: string) => `${candidate}, live ${live}`,
  predictedBy: (points: string, count: string) =>
    `The review predicted ${points} (dotted), from ${count} recorded decisions.`,
  expected: (from: string, to: string, most: string | undefined) =>
    `${from} → ${to} was expected${most === undefined ? '.' : `, for at most ${most} of ${from}.`}`,
  notPredicted: 'No recorded decision predicts the results.',
  candidate: 'candidate',
  live: 'live',
  acts: {
    next: (percent: number) => `Next stage now: ${percent} %`,
    last: 'Everyone now',
    pauseAt: (percent: number) => `Pause at ${percent} %`,
    pause: 'Pause before the next step',
    resume: 'Resume',
    abort: 'Stop and remove the candidate',
  },
  sure: {
    abort: 'Stop and remove the candidate?',
    abortText: 'Every request gets the live version again. The release is withdrawn: a new one is needed to try again.',
    promote: 'Pass the stage against a guard?',
    promoteText: 'A guard objects to this candidate. More requests would get it.',
  },
  engines: 'Engines',
  placed: (environment: string, text: string) => `${environment}: ${text}`,
  sameContent: (alike: number, all: number) => `same content on ${alike} of ${many(all, 'engine', 'engines')}`,
  holds: 'Holds',
  hasSince: 'Has it since',
  heardOf: 'Heard of',
  hasBoth: 'candidate and live',
  hasCandidate: 'this release',
  hasState: {
    pending: 'live; waits for the release',
    delivering: 'live; gets the release',
    verifying: 'confirms the release',
    skipped: 'was unavailable; gets it later',
    failed: 'failed',
    rolled_back: 'the earlier content again',
  },
  since: (time: string, seconds: string | undefined) => (seconds === undefined ? time : `${time}, after ${seconds} s`),
  ago: (time: string) => `${time} ago`,
  digests: 'Digests of the contents:',
  canaryOnly: 'for canaries alone',
  happened: 'What happened',
  streaming: 'live',
  sentences: {
    started: (who: string, expected: string) =>
      `${who === '' ? 'The rollout began' : `${who} started the rollout`}${expected === '' ? '.' : `, which is expected to change ${expected}.`}`,
    preflight: (servers: number, skipped: number) =>
      skipped === 0
        ? `${many(servers, 'engine is', 'engines are')} ready.`
        : `${many(servers, 'engine is', 'engines are')} ready; ${skipped} unavailable.`,
    environmentStarted: (environment: string) => `${environment} begins.`,
    environmentCompleted: (environment: string) => `${environment} is done.`,
    stageStarted: (percent: number, environment: string, end: string) =>
      `${percent} % of the requests to ${environment} go to the candidate, until ${end}.`,
    stagePassed: (number: number, who: string) =>
      who === '' ? `Stage ${number} passed.` : `${who} passed stage ${number}.`,
    verdict: (percent: number, candidate: string, live: string) =>
      `${percent} %: ${candidate} candidate and ${live} live requests`,
    noAlarm: ', no alarm.',
    because: (reason: string) => `. ${reason}`,
    earlier: (count: number) => `${many(count, 'earlier look', 'earlier looks')} had the same result.`,
    received: (engine: string, seconds: string | undefined) =>
      seconds === undefined ? `${engine} has the release.` : `${engine} received the release after ${seconds} s.`,
    engine: (engine: string, state: string, error: string) => `${engine}: ${state}${error === '' ? '' : `, ${error}`}.`,
    other: (what: string, who: string, why: string) =>
      `${what}${who === '' ? '' : ` by ${who}`}${why === '' ? '.' : `: ${why}`}`,
  },
}

export type RolloutTexts = typeof rollout
