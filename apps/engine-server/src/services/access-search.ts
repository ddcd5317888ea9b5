import type { Numbers, ObjectValue } from '@engine/expression'
import { type Awaitable, createPauses, jsonText } from '@engine/process'
import type { Program } from '@engine/ruleset'
import { UnsignableRuleset } from '@engine/signing'
import { createHash } from 'node:crypto'
import { describe, EngineError, failures } from '../errors.ts'
import { canonicalText } from '../signatures/canonical-text.ts'
import type { MappingRule } from '../standards/mapping.ts'
import type { PageTokens } from '../standards/page-token.ts'
import { type AccessRequest, accessRequestOf, inputOf, type Needed, objectAt, requestBody } from './access-request.ts'
import { type AuthorizationParts, programOf, ruleOf, type SentBody } from './authorization.ts'
import type { AnswerForm, RunOptions } from './execution.ts'

/** The part of a request that a search returns. */
export type SearchKind = 'subject' | 'resource' | 'action'

export const SEARCH_KINDS: readonly SearchKind[] = ['subject', 'resource', 'action']

const NEEDED: Readonly<Record<SearchKind, Needed>> = {
  subject: { subjectId: false, action: true, resourceId: true },
  resource: { subjectId: true, action: true, resourceId: false },
  action: { subjectId: true, action: false, resourceId: true },
}

/** Results per page, by default and at most. */
const PAGE_SIZE = { initial: 1000, most: 10_000 } as const
/** Longest time spent on decisions before other requests get their turn. */
const MAX_TURN_MS = 15

/** True if a mapping supports a kind of search: subjects and resources are only searched among the entities. */
export function isSearchable(
  { mapping, entities }: Pick<AuthorizationParts, 'mapping' | 'entities'>,
  kind: SearchKind,
): boolean {
  if (kind === 'action') return mapping.rules.some(({ candidates }) => candidates.length > 0)
  return entities !== undefined
}

/**
 * Finds the entities or actions that the rules permit: the JSON text `{"results", "page"}`, sorted by id in UTF-16 code
 * units. The rules are executed for each candidate until the page is full; a failure denies. Rejects with an
 * `EngineError`.
 */
export async function searchAccess(
  parts: AuthorizationParts,
  kind: SearchKind,
  tokens: PageTokens,
  sent: SentBody,
  options: RunOptions,
): Promise<string> {
  if (!isSearchable(parts, kind)) throw new EngineError('not-found', NOT_SEARCHABLE[kind])
  const body = requestBody(sent.value)
  const request = accessRequestOf(body, NEEDED[kind])
  const { limit, token } = pageOf(body)
  let digest: string | undefined
  const queryDigest = async () => (digest ??= await digestOf(kind, body, limit))
  const after = token === '' ? undefined : tokens.read(token, await queryDigest())
  if (token !== '' && after === undefined)
    throw failures.invalidPart('/page/token', 'is not a token of this query: begin without a token')
  const search = new Search(parts, kind, sent, options)
  const found = await search.permitted(request, after, limit + 1)
  const results = found.slice(0, limit)
  const last = results.at(-1)
  const next = found.length > limit && last !== undefined ? tokens.create(last, await queryDigest()) : ''
  const type = request[kind === 'subject' ? 'subject' : 'resource'].type
  return jsonText({
    results: results.map((one) => (kind === 'action' ? { name: one } : { type, id: one })),
    page: { next_token: next, count: results.length },
  })
}

const NOT_SEARCHABLE: Readonly<Record<SearchKind, string>> = {
  subject: 'subjects cannot be searched: the mapping names no `entities`',
  resource: 'resources cannot be searched: the mapping names no `entities`',
  action: 'actions cannot be searched: no rule of the mapping has `actions`',
}

function pageOf(body: ObjectValue): { readonly limit: number; readonly token: string } {
  const { limit = PAGE_SIZE.initial, token = '' } = objectAt(body['page'], '/page')
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > PAGE_SIZE.most)
    throw failures.invalidPart(
      '/page/limit',
      `must be a whole number from 1 to ${PAGE_SIZE.most}, found ${describe(limit)}`,
    )
  if (typeof token !== 'string') throw failures.invalidPart('/page/token', `must be a string, found ${describe(token)}`)
  return { limit, token }
}

/** A digest of everything but the token: the next page must belong to the same query. */
async function digestOf(kind: SearchKind, { page: _, ...body }: ObjectValue, limit: number): Promise<string> {
  const query = { kind, limit, body }
  let text: string
  try {
    text = await canonicalText(query)
  } catch (error) {
    // A lone surrogate has no canonical form; its digest then depends on the order of members.
    if (!(error instanceof UnsignableRuleset)) throw error
    text = await jsonText(query)
  }
  return createHash('sha256').update(text).digest('hex')
}

/** One search, which decides for each candidate whether the rules permit it. */
class Search {
  readonly #parts: AuthorizationParts
  readonly #kind: SearchKind
  readonly #sent: SentBody
  readonly #options: RunOptions
  readonly #pause = createPauses(MAX_TURN_MS)
  #exact: AccessRequest | undefined

  constructor(parts: AuthorizationParts, kind: SearchKind, sent: SentBody, options: RunOptions) {
    this.#parts = parts
    this.#kind = kind
    this.#sent = sent
    this.#options = options
  }

  /** The first permitted candidates after an id. */
  async permitted(request: AccessRequest, after: string | undefined, most: number): Promise<readonly string[]> {
    if (this.#isUnknownSubject(request)) return []
    const candidates = this.#candidates(request)
    const programs = new Map<MappingRule, Program>()
    const found: string[] = []
    for (let index = firstAfter(candidates, after); index < candidates.length; index++) {
      const candidate = candidates[index] ?? ''
      const asked = this.#askedFor(request, candidate)
      const rule = ruleOf(this.#parts.mapping, asked)
      if (rule !== undefined) {
        const program = programs.get(rule) ?? programOf(this.#parts.execution, rule)
        programs.set(rule, program)
        const decided = this.#decided(rule, program, asked, candidate)
        if (decided instanceof Promise ? await decided : decided) found.push(candidate)
        if (found.length >= most) break
      }
      const turn = this.#pause()
      if (turn === undefined) continue
      await turn
      // The client can only have disconnected while the search was waiting.
      if (this.#options.signal?.aborted === true) break
    }
    return found
  }

  #isUnknownSubject({ subject }: AccessRequest): boolean {
    const { mapping, entities } = this.#parts
    if (this.#kind === 'subject' || mapping.unknownSubject === 'rules') return false
    const known = entities?.get(subject.type)
    if (known === undefined) return mapping.unknownSubject === 'deny'
    return !known.byId.has(subject.id)
  }

  /** Ids or names, sorted by UTF-16 code units. Throws `EngineError` if there are too many. */
  #candidates(request: AccessRequest): readonly string[] {
    const { mapping, entities } = this.#parts
    if (this.#kind === 'action') return actionsFor(this.#parts, request)
    const { type } = request[this.#kind]
    const ids = entities?.get(type)?.ids ?? []
    if (ids.length > mapping.maxCandidates)
      throw failures.invalidPart(
        `/${this.#kind}/type`,
        `has ${ids.length} entities, of which at most ${mapping.maxCandidates} are searched (\`max_candidates\`)`,
      )
    return ids
  }

  #askedFor(request: AccessRequest, candidate: string): AccessRequest {
    switch (this.#kind) {
      case 'subject':
        return { ...request, subject: { ...request.subject, id: candidate } }
      case 'resource':
        return { ...request, resource: { ...request.resource, id: candidate } }
      case 'action':
        return { ...request, action: { ...request.action, name: candidate } }
    }
  }

  #decided(rule: MappingRule, program: Program, asked: AccessRequest, candidate: string): Awaitable<boolean> {
    const { entities, execution } = this.#parts
    const { numbers } = program.ruleset.config
    const decide = (exact: AccessRequest) =>
      execution.item(program, inputOf(exact, entities, numbers), permission(rule), this.#options)
    if (numbers === 'double') return decide(asked)
    return this.#exactRequest(numbers).then((request) => decide(this.#askedFor(request, candidate)))
  }

  async #exactRequest(numbers: Numbers): Promise<AccessRequest> {
    return (this.#exact ??= accessRequestOf(requestBody(await this.#sent.read(numbers)), NEEDED[this.#kind]))
  }
}

const permissions = new WeakMap<MappingRule, AnswerForm<boolean, boolean>>()

/** True if a decision permits; a failure denies. */
function permission(rule: MappingRule): AnswerForm<boolean, boolean> {
  return permissions.getOrInsertComputed(rule, () => ({
    decided: ({ code }) => rule.permit.has(code),
    failed: () => false,
  }))
}

/** The distinct actions of all rules for a subject and a resource. */
function actionsFor({ mapping }: AuthorizationParts, { subject, resource }: AccessRequest): readonly string[] {
  const names = new Set<string>()
  for (const { subjects, resources, candidates } of mapping.rules) {
    const fits =
      (subjects === undefined || subjects.has(subject.type)) &&
      (resources === undefined || resources.has(resource.type))
    if (fits) for (const name of candidates) names.add(name)
  }
  return [...names].sort()
}

/** Index of the first candidate after an id: binary search. */
function firstAfter(sorted: readonly string[], after: string | undefined): number {
  if (after === undefined) return 0
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') <= after) low = middle + 1
    else high = middle
  }
  return low
}
