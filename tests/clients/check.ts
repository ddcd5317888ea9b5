/** One thing that `npm run test:clients` tries, for one line of its table. */
export interface Check {
  readonly name: string
  /**
   * Resolves to the observations. Rejects with `LeftOut` where the check cannot run here, with any other error where it fails.
   */
  readonly run: () => Promise<string>
}

/** The check cannot run on this machine, for the reason in the message. */
export class LeftOut extends Error {}
