import { jsonValue, stringifyJson } from '@engine/expression'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'

/** Maximum number of examples per transition, and of transitions per shadow. */
const [MAX_EXAMPLES, MAX_TRANSITIONS] = [3, 100]

interface Transition {
  count: number
  /** JSON texts. */
  readonly examples: string[]
}

/** The results of a shadow since its counts were last stored. */
export class Counts {
  readonly org: OrgId
  readonly shadow: string
  requests = 0
  changed = 0
  dropped = 0
  /** By the JSON text of both codes. */
  readonly transitions = new Map<string, Transition>()

  constructor(org: OrgId, shadow: string) {
    this.org = org
    this.shadow = shadow
  }

  differs(from: string | null, to: string | null, example: string | undefined): void {
    this.changed++
    const codes = stringifyJson([from, to])
    const known = this.transitions.get(codes) ?? { count: 0, examples: [] }
    known.count++
    if (example !== undefined && known.examples.length < MAX_EXAMPLES) known.examples.push(example)
    if (this.transitions.size < MAX_TRANSITIONS || this.transitions.has(codes)) this.transitions.set(codes, known)
  }

  /**
   * Adds counts that could not be stored, without examples, which would take memory while the database is unavailable.
   */
  addUnstored({ requests, changed, dropped, transitions }: Counts): void {
    this.requests += requests
    this.changed += changed
    this.dropped += dropped
    for (const [codes, { count }] of transitions) {
      const known = this.transitions.get(codes)
      if (known !== undefined) known.count += count
      else if (this.transitions.size < MAX_TRANSITIONS) this.transitions.set(codes, { count, examples: [] })
    }
  }
}

/** Adds counts to the stored ones, in one transaction; counts of a deleted shadow are dropped. */
export async function storeCounts(database: Database, counts: Counts): Promise<void> {
  const { org, shadow, requests, changed, dropped } = counts
  await database.note(org, async ({ scope }) => {
    const found = await scope
      .update('shadows')
      .set((eb) => ({
        requests: eb('requests', '+', requests),
        changed: eb('changed', '+', changed),
        dropped: eb('dropped', '+', dropped),
      }))
      .where('id', '=', shadow)
      .returning('id')
      .executeTakeFirst()
    if (found === undefined || counts.transitions.size === 0) return
    // The lock of the shadow's row serializes the replicas.
    const stored = await scope
      .read('shadow_transitions')
      .selectFrom('shadow_transitions')
      .select(['codes', 'examples'])
      .where('shadow_id', '=', shadow)
      .execute()
    const known = new Map(stored.map(({ codes, examples }) => [codes, examples]))
    for (const [codes, { count, examples }] of counts.transitions) {
      if (!known.has(codes) && known.size >= MAX_TRANSITIONS) continue
      const all = [...(known.get(codes) ?? []), ...examples.map((text) => jsonValue(text))].slice(0, MAX_EXAMPLES)
      known.set(codes, all)
      const text = stringifyJson(all)
      await scope
        .insert('shadow_transitions', { shadow_id: shadow, codes, count, examples: text })
        .onConflict((conflict) =>
          conflict
            .columns(['org_id', 'shadow_id', 'codes'])
            .doUpdateSet((eb) => ({ count: eb('shadow_transitions.count', '+', count), examples: text })),
        )
        .execute()
    }
  })
}
