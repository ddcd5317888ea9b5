/** Work that may pause where it yields: it wants to when its budget's `wantsPause` is set. */
export type Pausing<Result> = Generator<void, Result>

/** Work that may pause, without a pause. */
export function finish<Result>(work: Pausing<Result>): Result {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value
}
