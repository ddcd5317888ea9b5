import type { Caller } from '../access/caller.ts'
import type { Member } from '../access/membership.ts'
import type { Author } from '../database/audit.ts'
import type { Change, Database } from '../database/database.ts'
import { takenName } from '../database/unique-names.ts'
import { failures } from '../errors.ts'
import type { UncheckedRequest } from '../http/route.ts'
import { authorOf, creatorOf } from './author.ts'

/** Where a change acts: in an organization, or in one of its projects. */
export interface ActingPlace {
  readonly member: Member
  readonly project?: { readonly id: string }
}

interface ActingParts<Place extends ActingPlace, Who extends Caller> {
  readonly database: Database
  readonly place: Place
  readonly caller: Who
  readonly author: Author
}

/**
 * The author and the place of a change: services change resources of an organization only through this class. `Who` is
 * `Person` for changes that no key can make.
 */
export class Acting<Place extends ActingPlace, Who extends Caller = Caller> {
  readonly database: Database
  readonly place: Place
  readonly caller: Who
  readonly author: Author

  constructor({ database, place, caller, author }: ActingParts<Place, Who>) {
    this.database = database
    this.place = place
    this.caller = caller
    this.author = author
  }

  /** The value of `created_by` and `updated_by`. */
  get by(): string {
    return creatorOf(this.caller)
  }

  /**
   * Makes one change in one transaction that holds the lock of the organization: data that `work` reads stays valid
   * until the commit. Its audit entries name the project of the place.
   *
   * @param name the name that the change assigns; throws 409 `duplicate` if it is in use
   */
  change<Result>(work: (change: Change) => Promise<Result>, name?: string): Promise<Result> {
    return this.changeUnlocked(async (change) => {
      await change.lock()
      return work(change)
    }, name)
  }

  /**
   * Like `change`, for a change whose statements resolve conflicts between concurrent requests by themselves.
   *
   * @param refusal thrown if the name is in use
   */
  async changeUnlocked<Result>(
    work: (change: Change) => Promise<Result>,
    name = '',
    refusal: (bearer: string) => Error = (bearer) =>
      failures.conflict('duplicate', `there is ${bearer} \`${name}\` already`),
  ): Promise<Result> {
    const { member, project } = this.place
    const inProject = project === undefined ? {} : { projectId: project.id }
    try {
      return await this.database.change(member.org, this.author, (change) =>
        work({ ...change, audit: (record) => change.audit({ ...inProject, ...record }) }),
      )
    } catch (error) {
      const bearer = takenName(error)
      throw bearer === undefined ? error : refusal(bearer)
    }
  }

  /** The same author for steps of a change that is being made: they are committed with it, or not at all. */
  within(change: Change): Acting<Place, Who> {
    return new Acting({ ...this, database: within(this.database, change) })
  }
}

/**
 * A database whose changes become parts of a running change. A feature's operation, with its checks and its audit,
 * becomes a step of a larger change that is stored as a whole or not at all.
 */
function within(database: Database, change: Change): Database {
  return { ...database, scope: () => change.scope, change: (_org, _author, work) => work(change) }
}

/** The parts of a request that determine the author and the place of a change. */
export type ActingRequest<Place extends ActingPlace, Who extends Caller = Caller> = Pick<
  UncheckedRequest,
  'address' | 'requestId'
> & { readonly place: Place; readonly caller: Who }

/** The author and the place of a change by a request. */
export const actingIn = <Place extends ActingPlace, Who extends Caller>(
  database: Database,
  { place, caller, ...asked }: ActingRequest<Place, Who>,
): Acting<Place, Who> => new Acting({ database, place, caller, author: authorOf(caller, asked) })
