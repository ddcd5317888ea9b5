import type { Requester } from '../requester.ts'
import type { StoredRuleset } from '../store/store.ts'

/** A change of one ruleset: new content, or its deletion. */
export type Change =
  | { readonly kind: 'put'; readonly ruleset: StoredRuleset }
  | { readonly kind: 'deleted'; readonly name: string }

/**
 * Where a change comes from: a request, a changed file, the platform, the process or instance that decides for this one
 * (`sync`), or another implementation whose changes this writer takes over and publishes as its own (`adopted`).
 */
export type Cause =
  | { readonly origin: 'api' | 'platform'; readonly by?: Requester | undefined }
  /** `seq`: of the version that is brought back. */
  | { readonly origin: 'rollback'; readonly seq: number; readonly by?: Requester | undefined }
  | { readonly origin: 'watch' | 'sync' | 'adopted' }

/** Subscribes to the changes of the rulesets of one tenant. */
export interface ChangeSubscriber {
  /**
   * Before a change is made. Throws `StoreError` when it could not be passed on: then it is not made. Not called for
   * the deletion of a file.
   */
  accept?(change: Change, cause: Cause): void
  /**
   * A change is stored. Called for the changes of one ruleset in their order; the change is not acknowledged before the
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

  /** Throws `StoreError` when one of the subscribers does. */
  accept(change: Change, cause: Cause): void {
    for (const subscriber of this.#subscribers) subscriber.accept?.(change, cause)
  }

  async changed(change: Change, cause: Cause, previous: StoredRuleset | undefined): Promise<void> {
    for (const subscriber of this.#subscribers) await subscriber.changed(change, cause, previous)
  }
}
