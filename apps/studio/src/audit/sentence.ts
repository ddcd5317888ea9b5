import { isObject } from '@engine/expression'
import type { components } from '../api/schema.ts'
import type { AuditTexts } from '../texts/en/audit.ts'
import { pretty } from '../ui/json-text.ts'

type AuditEntry = components['schemas']['AuditEntry']

/** The name of the author of a change. */
export function actorOf({ actor: { type, name } }: Pick<AuditEntry, 'actor'>, texts: AuditTexts): string {
  switch (type) {
    case 'key':
      return texts.key(name)
    case 'server':
      return texts.engine(name)
    case 'system':
      return texts.platform
    case 'user':
      return name
  }
}

/** The action in words; an unknown action is shown by its name. */
export function actOf({ action, object }: Pick<AuditEntry, 'action' | 'object'>, texts: AuditTexts): string {
  const name = numbered(object)
  const act = texts.acts[action]
  if (act !== undefined) return act(name)
  const verb = texts.verbs[action.slice(action.indexOf('.') + 1)]
  const names: Readonly<Record<string, string>> = texts.objects
  const noun = names[object.type]
  return verb === undefined || noun === undefined ? `${action} ${name}` : texts.sentence(verb, noun, name)
}

/** The number of a release is part of its name. */
const numbered = ({ type, name }: AuditEntry['object']): string =>
  ['release', 'execution', 'comment'].includes(type) ? name.replace(/^(\d+) /, '$1, ') : name

/** A member of the object with its values before and after; undefined if it was absent. */
interface ChangedMember {
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

/** Members that differ after every change. */
const ALWAYS_CHANGED: ReadonlySet<string> = new Set(['rev', 'updated_at'])

/** The members that differ, in the order of the object. */
export function changedMembers({ before, after }: Pick<AuditEntry, 'before' | 'after'>): readonly ChangedMember[] {
  const [old, young] = [isObject(before) ? before : {}, isObject(after) ? after : {}]
  const names = new Set([...Object.keys(old), ...Object.keys(young)])
  return Array.from(names, (name) => ({ name, before: old[name], after: young[name] })).filter(
    (one) => !ALWAYS_CHANGED.has(one.name) && pretty(one.before) !== pretty(one.after),
  )
}
