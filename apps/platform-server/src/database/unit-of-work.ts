import type { ControlledTransaction, Kysely, PostgresPool, PostgresPoolClient, Transaction } from 'kysely'
import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import type { Tables } from './tables.ts'
import { failedCommit } from './availability.ts'

/**
 * One database transaction that spans several changes of one request. The first change begins it; from then on every query
 * of the same asynchronous context runs in it, reads included, so that the request sees its own uncommitted changes.
 */
class UnitOfWork {
  /** Topics to wake after the commit. */
  readonly topics = new Set<string>()
  /** Undefined: no change has begun yet, or the unit has ended. */
  connection: PostgresPoolClient | undefined
  transaction: ControlledTransaction<Tables> | undefined
  /** Work that is still running in the context uses separate connections afterwards. */
  isEnded = false
  #client: pg.PoolClient | undefined

  async begin(pool: pg.Pool, tables: Kysely<Tables>): Promise<ControlledTransaction<Tables>> {
    const client = await pool.connect()
    this.#client = client
    this.connection = sequential(client)
    try {
      this.transaction = await tables.startTransaction().execute()
      return this.transaction
    } catch (error) {
      this.#release(true)
      throw error
    }
  }

  async commit(): Promise<void> {
    await this.#end((transaction) =>
      transaction
        .commit()
        .execute()
        .catch((error: unknown) => {
          throw failedCommit(error)
        }),
    )
  }

  async rollback(): Promise<void> {
    await this.#end((transaction) => transaction.rollback().execute())
  }

  async #end(ending: (transaction: ControlledTransaction<Tables>) => Promise<void>): Promise<void> {
    if (this.transaction === undefined) return
    let isFailed = true
    try {
      await ending(this.transaction)
      isFailed = false
    } finally {
      this.#release(isFailed)
    }
  }

  /** @param isBroken the state of the connection is unknown: it is closed */
  #release(isBroken: boolean): void {
    this.#client?.release(isBroken)
    this.#client = undefined
    this.connection = undefined
    this.transaction = undefined
  }
}

/** A client that runs the queries of concurrent readers one after the other, and that its readers do not release. */
function sequential(client: pg.PoolClient): PostgresPoolClient {
  let last: Promise<unknown> = Promise.resolve()
  const query = (...args: Parameters<PostgresPoolClient['query']>) => {
    const run = () => client.query(...(args as unknown as [string, unknown[]]))
    const result = last.then(run, run)
    last = result
    return result
  }
  return { query: query as unknown as PostgresPoolClient['query'], release() {} }
}

type Joining<Result> = (transaction: Transaction<Tables>, topics: Set<string>) => Promise<Result>

/** The units of work of one database. */
export interface Units {
  /** The connections of its pool; within an open unit the connection of its transaction. */
  readonly connections: PostgresPool
  /** Run `work` as one unit. Rejects when `work` does, and nothing is stored then. */
  run<Result>(work: () => Promise<Result>, committed: (topics: Iterable<string>) => void): Promise<Result>
  /** Run a transaction within the open unit, or as its beginning. Undefined: the context has no unit. */
  joined<Result>(tables: Kysely<Tables>, work: Joining<Result>): Promise<Result> | undefined
}

export function createUnits(pool: pg.Pool): Units {
  const units = new AsyncLocalStorage<UnitOfWork>()
  return {
    connections: {
      connect: async () => units.getStore()?.connection ?? (await pool.connect()),
      end: () => pool.end(),
      options: pool.options,
    },
    run: (work, committed) => {
      const unit = new UnitOfWork()
      return units.run(unit, async () => {
        try {
          const result = await work()
          await unit.commit()
          unit.isEnded = true
          committed(unit.topics)
          return result
        } catch (error) {
          await unit.rollback().catch(() => {})
          unit.isEnded = true
          throw error
        }
      })
    },
    joined(tables, work) {
      const unit = units.getStore()
      if (unit === undefined || unit.isEnded) return undefined
      return unit.transaction === undefined ? first(unit, tables, work) : next(unit, unit.transaction, work)
    },
  }

  async function first<Result>(unit: UnitOfWork, tables: Kysely<Tables>, work: Joining<Result>): Promise<Result> {
    const transaction = await unit.begin(pool, tables)
    try {
      return await work(transaction, unit.topics)
    } catch (error) {
      unit.topics.clear()
      await unit.rollback().catch(() => {})
      throw error
    }
  }

  /** A change that fails leaves earlier ones unchanged. */
  async function next<Result>(
    unit: UnitOfWork,
    transaction: ControlledTransaction<Tables>,
    work: Joining<Result>,
  ): Promise<Result> {
    const within = await transaction.savepoint('change').execute()
    try {
      const result = await work(within, unit.topics)
      await within.releaseSavepoint('change').execute()
      return result
    } catch (error) {
      await within.rollbackToSavepoint('change').execute()
      throw error
    }
  }
}
