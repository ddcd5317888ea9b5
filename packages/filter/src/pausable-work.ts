/** Work that may pause where it yields: it should when `wantsPause` of its budget is set. */
export type Pausing<Result> = Generator<void, Result>

/** Run pausable work without pausing. */
export function finish<Result>(work: Pausing<Result>): Result {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value
}
