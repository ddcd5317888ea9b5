import type { Requester } from '../requester.ts'
import type { StoredRuleset } from '../store/store.ts'

/** A change of one ruleset: new content, or its deletion. */
export type Change =
  | { readonly kind: 'put'; readonly ruleset: StoredRuleset }
  | { readonly kind: 'deleted'; readonly name: string }

/**
 * The origin of a change: a request, a changed file, the platform, the process or instance that this one follows
 * (`sync`), or another implementation whose changes this writer adopts and publishes as its own (`adopted`).
 */
export type Cause =
  | { readonly origin: 'api' | 'platform'; readonly by?: Requester | undefined }
  /** `seq`: number of the restored version. */
  | { readonly origin: 'rollback'; readonly seq: number; readonly by?: Requester | undefined }
  | { readonly origin: 'watch' | 'sync' | 'adopted' }

/** Subscribes to the changes of the rulesets of one tenant. */
export interface ChangeSubscriber {
  /**
   * Called before a change. Throws `StoreError` to refuse a change that could not be passed on. Not called for the
   * deletion of a file.
   */
  accept?(change: Change, cause: Cause): void
  /**
   * Called after a change is stored, for the changes of one ruleset in their order; the change is acknowledged when the
   * promise resolves. A rejection does not undo the change, but the request fails with its error.
   *
   * @param previous the previous version; undefined for a new ruleset
   */
  changed(change: Change, cause: Cause, previous: StoredRuleset | undefined): Promise<void> | void
}

/** The subscribers to ruleset changes of one tenant, notified in the order of subscription. */
export class ChangeFeed {
  readonly #subscribers: ChangeSubscriber[] = []

  subscribe(subscriber: ChangeSubscriber): void {
    this.#subscribers.push(subscriber)
  }

  /** Throws `StoreError` if a subscriber refuses the change. */
  accept(change: Change, cause: Cause): void {
    for (const subscriber of this.#subscribers) subscriber.accept?.(change, cause)
  }

  async changed(change: Change, cause: Cause, previous: StoredRuleset | undefined): Promise<void> {
    for (const subscriber of this.#subscribers) await subscriber.changed(change, cause, previous)
  }
}
