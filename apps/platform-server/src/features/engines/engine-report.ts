import type { HeldRuleset } from '@engine/api'
import { stringifyJson, type Value } from '@engine/expression'
import { isLarge, jsonText } from '@engine/process'

/** Characters of the problems of one engine that are kept: those that it says first. */
const MAX_PROBLEMS = 256 * 1024

/**
 * What an engine says of itself as JSON to be stored. It is shown to people and in lists of many engines, so that no engine may
 * say more of its health and its problems than these can read.
 */
export async function reported(told: {
  readonly health: unknown
  readonly problems: readonly unknown[]
  /** undefined: those of the report before. */
  readonly rulesets: readonly HeldRuleset[] | undefined
}): Promise<{ readonly health: string; readonly problems: string; readonly rulesets: string | undefined }> {
  return {
    health: healthOf(told.health as Value),
    problems: problemsOf(told.problems as readonly Value[]),
    rulesets: told.rulesets && (await jsonText(told.rulesets.map(heldOf))),
  }
}

/** A health that is too large keeps what counts of it. */
function healthOf(health: Value): string {
  return isLarge(health) ? stringifyJson({ status: isWell(health) ? 'healthy' : 'unhealthy' }) : stringifyJson(health)
}

function problemsOf(problems: readonly Value[]): string {
  const texts: string[] = []
  let room = MAX_PROBLEMS
  for (const problem of problems) {
    if (isLarge(problem)) continue
    const text = stringifyJson(problem)
    room -= text.length
    if (room < 0) break
    texts.push(text)
  }
  return `[${texts.join(',')}]`
}

/** Without members that the platform does not know. */
function heldOf({ tenant, name, version, digest, delivered }: HeldRuleset): Value {
  return {
    ...(tenant !== undefined && { tenant }),
    name,
    ...(version !== undefined && { version }),
    digest,
    ...(delivered !== undefined && { delivered }),
  }
}

/** Whether an engine says that it is well; one that says nothing of itself is. */
export function isWell(health: unknown): boolean {
  if (health === null) return true
  const { status, healthy } = (typeof health === 'object' ? health : { status: health }) as {
    readonly status?: unknown
    readonly healthy?: unknown
  }
  return status === undefined ? healthy !== false : status === 'healthy' || status === 'ok' || status === true
}
