/** One thing that `npm run test:clients` tries, for one line of its table. */
export interface Check {
  readonly name: string
  /** Resolves to what was seen. Rejects with `LeftOut` where it cannot be tried here, with anything else where it fails. */
  readonly run: () => Promise<string>
}

/** The check cannot be tried on this machine; the message says why. */
export class LeftOut extends Error {}
