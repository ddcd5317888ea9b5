import { stringifyJson } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { changesTopic } from '../../database/audit.ts'
import type { Scope } from '../../database/scope.ts'
import type { EventSource, StreamedEvent } from '../../http/event-stream.ts'
import type { DraftRow } from '../drafts/repository.ts'
import { presentIn } from './presence.ts'

/** Maximum number of saves per query. */
const MAX_SAVES = 200

/**
 * Events of one ruleset: each save, with its sequence number as event ID, and the callers present, initially and after each
 * change. A renamed draft keeps its stream.
 *
 * @param after the last save that the client received; undefined: the current one
 */
export function rulesetEvents(scope: Scope, draft: DraftRow, after: string | undefined): EventSource {
  let seq = after === undefined ? draft.seq : seqOf(after)
  let present: string | undefined
  return {
    topics: [changesTopic(draft.project_id)],
    async next() {
      const saves = await savesAfter(scope, draft.id, seq)
      const events: StreamedEvent[] = saves.map((save) => ({ id: save.seq, type: 'draft_saved', data: shown(save) }))
      seq = saves.at(-1)?.seq ?? seq
      const presence = (await presentIn(scope, draft.project_id, draft.id)).get(draft.id)
      const data = presence ?? { ruleset: saves.at(-1)?.name ?? draft.name, present: [] }
      const text = stringifyJson(data.present)
      if (text !== present) events.push({ type: 'presence', data })
      present = text
      return { events }
    },
  }
}

function savesAfter(scope: Scope, draft: string, seq: number) {
  return scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select(['name', 'seq', 'saved_at', 'saved_by'])
    .where('draft_id', '=', draft)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(MAX_SAVES)
    .execute()
}

type Save = Awaited<ReturnType<typeof savesAfter>>[number]

const shown = ({ name, seq, saved_at, saved_by }: Save) => ({
  ruleset: name,
  seq,
  updated_at: saved_at.toISOString(),
  updated_by: saved_by,
})

/** Throws 400. */
function seqOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw invalidParameter('last_event_id', 'must be the id of an event of this stream')
}
