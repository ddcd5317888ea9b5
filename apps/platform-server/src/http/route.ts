import type { QueryParameters } from '@engine/http-api'
import type { Answer, PlainRequest, WholeAnswer } from '@engine/http-server'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Static, type TSchema, Type } from 'typebox'
import type { Action } from '../access/actions.ts'
import type { Caller, KeyHolder, Person } from '../access/caller.ts'
import { failures } from '../errors.ts'
import { requestMemory } from '../memory/memory-budget.ts'
import { refuseBrowser } from './csrf.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * Who may call a route. `none`: anyone. `any`: a person or an API key. `person`: a session. `key`: an API key. `server`: an engine, which the
 * route itself identifies. `member`: each member of the organization. An action: members who hold it.
 */
export type Right = 'none' | 'any' | 'person' | 'key' | 'server' | 'member' | Action

/** The metadata of an operation for routing, access, documentation and tests. */
interface RouteFacts {
  readonly method: Method
  /** Segments that begin with a colon are parameters. */
  readonly path: string
  readonly summary: string
  /** Another path that answers the same. */
  readonly alias?: string
  /** True if the OpenAPI document includes it. Default: true. */
  readonly isDescribed?: boolean
  /** One of the groups of `openapi.ts`. */
  readonly group: string
  /** Request headers with their meaning. */
  readonly headers?: Readonly<Record<string, string>>
  /** Parameters of its query; any other is refused. */
  readonly query?: QueryParameters | 'any'
  /** Bodies of its answers by their status; refusals have the same body everywhere. */
  readonly answers: Readonly<Record<number, TSchema>>
  readonly answerHeaders?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** Content type of the answer of status 200; default `application/json`. */
  readonly produces?: string
  readonly otherAnswers?: Readonly<Record<string, TSchema>>
  /** Largest body in bytes; default `BODY_BYTES`. */
  readonly maxBodyBytes?: number
  /** Maximum number of values in a JSON body; default `MAX_BODY_VALUES`. */
  readonly maxBodyValues?: number
  /**
   * True if the body contains inputs and outputs whose numbers keep all their digits; default: only those of decimal
   * rulesets do.
   */
  readonly keepsDigits?: boolean
  /** A body that is passed on unparsed, with its schema for the description. */
  readonly passes?: TSchema
  /** Content types of a body that is passed on. Default: `application/json`. */
  readonly consumes?: readonly string[]
  /** Examples of bodies that are not JSON, by content type. */
  readonly bodyExamples?: Readonly<Record<string, string>>
  /** Accepted content types besides JSON, with decoders to the same body. */
  readonly reads?: Readonly<Record<string, (bytes: Buffer) => Promise<unknown>>>
  /**
   * The member of the body that is a draft: a large one is parsed on another thread and not converted to values here.
   */
  readonly draftMember?: string
  /** The format of that draft; default: the editor's. */
  readonly draftFormat?: (query: URLSearchParams) => 'editor' | 'engine'
  /** The body may be omitted, which is like `{}`. */
  readonly isBodyOptional?: boolean
  /** Resources named in the query may be unknown (404); those named in the path always may be. */
  readonly hasUnknowns?: boolean
  /** It may contradict the state (409). */
  readonly hasConflicts?: boolean
  /** A repeated `idempotency-key` gets the first answer again. */
  readonly isIdempotent?: boolean
  /**
   * It may sign a browser in, or change how an account signs in: pages of other origins are refused even if no cookie
   * is sent.
   */
  readonly signsIn?: boolean
  /** Its requests do not count towards `--rate-limit`. */
  readonly isUnlimited?: boolean
  /** It continues for known API keys while the database is unavailable. */
  readonly isDecision?: boolean
}

/** Largest body of most routes. */
export const BODY_BYTES = 1024 * 1024
/** Largest body of routes that take documents: drafts, traces, contracts, suites. */
export const DOCUMENT_BYTES = 10 * 1024 * 1024

/** No body. */
export const Empty = Type.Null({ description: 'no body' })

/** A request whose route is known; nothing is checked yet. */
export interface UncheckedRequest {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  /** IP address of the sender. */
  readonly address: string
  /** The authenticated caller; undefined if credentials are missing or invalid. Throws for forged requests. */
  caller(): Promise<Caller | undefined>
  /** The query, validated against the route's parameters. */
  query(): URLSearchParams
  /** The body, validated against its schema; `{}` if it is missing and the route has `isBodyOptional`. */
  body<Body extends TSchema>(schema: Body): Promise<Static<Body>>
  /** Called when the response makes progress: its deadline is extended. */
  progress(): void
}

/** A request whose checks have passed, as passed to the handler of a route. */
export interface HandlerRequest<Who, Body extends TSchema> extends Pick<
  UncheckedRequest,
  'raw' | 'response' | 'params' | 'requestId' | 'address' | 'progress'
> {
  readonly caller: Who
  readonly query: URLSearchParams
  readonly body: Static<Body>
}

/** A checked request to a route within an organization. */
export interface ScopedRequest<Body extends TSchema, Place, Found> extends HandlerRequest<Caller, Body> {
  readonly place: Place
  readonly found: Found
  /** Repeats all checks up to that of the right, for an answer that stays open. Throws like these checks. */
  readonly admit: () => Promise<void>
}

/** Undefined if the handler has already answered. */
type Answering = Promise<Answer | undefined>

/** A request of the fast lane whose route is known; nothing is checked yet. It has no query. */
export interface PlainArrival extends Pick<UncheckedRequest, 'params' | 'requestId' | 'caller'> {
  readonly request: PlainRequest
}

/** A route in the form that the router runs. */
export interface Route extends RouteFacts {
  readonly right: Right
  readonly body?: TSchema
  /** Like `run`, for the fast lane; undefined if the route has no plain form. */
  readonly runPlain?: (arrived: PlainArrival) => Promise<WholeAnswer | undefined>
  /** Runs the checks in their order, then the handler. */
  readonly run: (arrived: UncheckedRequest) => Answering
}

interface Row<Body extends TSchema> extends RouteFacts {
  /** Undefined if the body is ignored. */
  readonly body?: Body
}

/** A route that needs no credentials; `caller` is set when they are sent anyway. */
interface OpenRow<Body extends TSchema> extends Row<Body> {
  readonly right: 'none'
  /** Credentials are not looked up, so that the route answers even while the database is unavailable. */
  readonly ignoresCredentials?: boolean
  readonly handle: (asked: HandlerRequest<Caller | undefined, Body>) => Answering
}

export function openRoute<Body extends TSchema = typeof Empty>(row: OpenRow<Body>): Route {
  return {
    ...row,
    async run(arrived) {
      const caller = row.ignoresCredentials === true ? undefined : await arrived.caller()
      return row.handle(await asked(arrived, row, caller))
    },
  }
}

interface ServerRow<Who, Body extends TSchema> extends Row<Body> {
  readonly right: 'server'
  /** The engine of the request, before its body is read. Throws `unauthorized`. */
  readonly identify: (arrived: Pick<UncheckedRequest, 'raw'>) => Promise<Who>
  readonly handle: (asked: HandlerRequest<Who, Body>) => Answering
}

/** A route for engines. */
export function serverRoute<Who, Body extends TSchema = typeof Empty>(row: ServerRow<Who, Body>): Route {
  return {
    ...row,
    async run(arrived) {
      refuseBrowser(arrived.raw)
      return row.handle(await asked(arrived, row, await row.identify(arrived)))
    },
  }
}

interface CallerRow<Body extends TSchema> extends Row<Body> {
  readonly right: 'any'
  readonly handle: (asked: HandlerRequest<Caller, Body>) => Answering
}

/** A route for a person or an API key. */
export function callerRoute<Body extends TSchema = typeof Empty>(row: CallerRow<Body>): Route {
  return { ...row, run: async (arrived) => row.handle(await asked(arrived, row, await callerOf(arrived))) }
}

interface PersonRow<Body extends TSchema> extends Row<Body> {
  readonly right: 'person'
  readonly handle: (asked: HandlerRequest<Person, Body>) => Answering
}

/** A route for a person. */
export function personRoute<Body extends TSchema = typeof Empty>(row: PersonRow<Body>): Route {
  return {
    ...row,
    async run(arrived) {
      const caller = await callerOf(arrived)
      if (caller.kind !== 'user') throw failures.forbidden('only a person who is signed in may do this', 'person')
      return row.handle(await asked(arrived, row, caller))
    },
  }
}

interface KeyRow<Body extends TSchema> extends Row<Body> {
  readonly right: 'key'
  readonly handle: (asked: HandlerRequest<KeyHolder, Body>) => Answering
}

/** A route for a program with an API key. */
export function keyRoute<Body extends TSchema = typeof Empty>(row: KeyRow<Body>): Route {
  return {
    ...row,
    async run(arrived) {
      const caller = await callerOf(arrived)
      if (caller.kind !== 'key') throw failures.forbidden('only a program with an API key may do this', 'key')
      return row.handle(await asked(arrived, row, caller))
    },
  }
}

/** The permissions of a caller in an organization. */
export interface Rights {
  /** Id of the organization. */
  readonly org: string
  readonly permissions: ReadonlySet<Action>
  /** Actions among these that do not apply here, each with the reason. */
  readonly withheld: ReadonlyMap<Action, string>
}

/** Finds the place in an organization where a request acts; undefined if the caller has no access to it. */
export type Finder<Place extends { readonly member: Rights }> = (
  caller: Caller,
  params: Readonly<Record<string, string>>,
) => Promise<Place>

interface MemberRow<Body extends TSchema, Place extends { readonly member: Rights }, Found> extends Row<Body> {
  readonly right: 'member' | Action
  /** Throws `not-found` for unknown, foreign or deleted resources. */
  readonly within: Finder<Place>
  /** Finds the resource in the path; throws `not-found`. Runs before the permission check. */
  readonly find?: (place: Place, params: Readonly<Record<string, string>>, caller: Caller) => Promise<Found>
  /** True if the resource belongs to the caller, who then needs no permission. */
  readonly isOwn?: (caller: Caller, found: Found) => boolean
  readonly handle: (asked: ScopedRequest<Body, Place, Found>) => Answering
  /** Handles a request of the fast lane; its route has no `find`. Undefined if the sender has disconnected. */
  readonly handlePlain?: (
    asked: Omit<PlainArrival, 'caller'> & { readonly caller: Caller; readonly place: Place },
  ) => Promise<WholeAnswer | undefined>
}

/** A route within an organization. */
export function memberRoute<
  Place extends { readonly member: Rights },
  Found = undefined,
  Body extends TSchema = typeof Empty,
>(row: MemberRow<Body, Place, Found>): Route {
  const { handlePlain } = row
  const plain: Pick<Route, 'runPlain'> =
    handlePlain === undefined
      ? {}
      : {
          async runPlain({ request, params, requestId, ...arrived }) {
            const caller = await callerOf(arrived)
            const place = await row.within(caller, params)
            allow(place.member, row.right)
            requestMemory()?.belongTo(place.member.org)
            return handlePlain({ request, params, requestId, caller, place })
          },
        }
  return {
    ...row,
    ...plain,
    async run(arrived) {
      const admitted = async () => {
        const caller = await callerOf(arrived)
        const place = await row.within(caller, arrived.params)
        const found = (await row.find?.(place, arrived.params, caller)) as Found
        if (row.isOwn?.(caller, found) !== true) allow(place.member, row.right)
        return { caller, place, found }
      }
      const { caller, place, found } = await admitted()
      requestMemory()?.belongTo(place.member.org)
      const admit = async () => void (await admitted())
      return row.handle({ ...(await asked(arrived, row, caller)), place, found, admit })
    },
  }
}

async function callerOf(arrived: Pick<UncheckedRequest, 'caller'>): Promise<Caller> {
  const caller = await arrived.caller()
  if (caller === undefined) throw failures.unauthorized()
  return caller
}

/** Throws if an action is not allowed. Every member may read; an API key only within its scopes. */
export function allow({ permissions, withheld }: Rights, right: 'member' | Action): void {
  const action = right === 'member' ? 'project.read' : right
  if (!permissions.has(action)) throw failures.forbidden(`this needs the right \`${action}\``, action)
  const reason = withheld.get(action)
  if (reason !== undefined) throw failures.forbidden(reason, action)
}

async function asked<Who, Body extends TSchema>(
  arrived: UncheckedRequest,
  { body }: Row<Body>,
  caller: Who,
): Promise<HandlerRequest<Who, Body>> {
  const { raw, response, params, requestId, address } = arrived
  const query = arrived.query()
  const read = body === undefined ? (undefined as Static<Body>) : await arrived.body(body)
  return { raw, response, params, requestId, address, caller, query, body: read, progress: () => arrived.progress() }
}

/** The same route at another path with the same parameters. */
export function alsoAt(route: Route, path: string): Route {
  return { ...route, path }
}

/** A route with a second path, which is mentioned only in the description of the first. */
export function withAlias(route: Route, path: string): readonly Route[] {
  return [
    { ...route, alias: path },
    { ...route, path, isDescribed: false },
  ]
}
