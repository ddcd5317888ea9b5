import { decodeDraft, type DraftRuleset, type IntendedFinding } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import { jsonText } from '@engine/process'
import { type DraftSummary, LargeDraft } from '../../compute/large-draft.ts'
import { namesUsed } from '../../compute/referenced-names.ts'
import type { SentSubject } from '../../compute/tasks.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import { configIn } from './repository.ts'
import { draftOfText } from '../../compute/draft-of-text.ts'

/** A decoded draft that is not stored yet: an object, or text if it is large. */
export interface SentDraft extends DraftSummary {
  /** In the form that worker threads accept. */
  readonly subject: { readonly draft: DraftRuleset } | { readonly draftText: string }
  /**
   * In the form that the database stores.
   *
   * @param intended replaces the intended findings of the draft; undefined keeps them
   */
  readonly text: (intended?: readonly IntendedFinding[]) => string | Promise<string>
}

/** The draft in the member `ruleset` of a request body. Throws 400 that lists all malformed places. */
export function sentDraft(ruleset: unknown): SentDraft {
  if (!(ruleset instanceof LargeDraft)) return smallDraft(draftIn(ruleset))
  const { read, problems } = ruleset
  if (read === undefined) throw invalidDocument(problems, '/ruleset')
  const { text, config, uses, intendedAt } = read
  return {
    config,
    uses,
    subject: { draftText: text },
    text: (intended) => {
      if (intended === undefined || intendedAt === undefined) return text
      const [start, end] = intendedAt
      return `${text.slice(0, start)}${stringifyJson(intended)}${text.slice(end)}`
    },
  }
}

/** A draft that is in memory already. */
export function smallDraft(draft: DraftRuleset): SentDraft {
  return {
    config: draft.config,
    uses: namesUsed(draft),
    subject: { draft },
    text: (intended) => jsonText(intended === undefined ? draft : { ...draft, config: { ...draft.config, intended } }),
  }
}

/** Stored drafts with more characters than this stay text. */
const LARGE_DRAFT = 128 * 1024

/** A draft read from the database. */
export function storedDraft(text: string, summary: DraftSummary): SentDraft {
  const isLarge = text.length > LARGE_DRAFT
  // Written only by `appendSave`, which takes a decoded draft.
  const subject = isLarge ? { draftText: text } : { draft: draftOfText(text) }
  return { ...summary, subject, text: () => text }
}

/** A save as `saveText` reads it. */
export function draftOfSave({
  text,
  config,
  uses,
}: {
  text: string
  config: Value
  uses: readonly string[]
}): SentDraft {
  return storedDraft(text, { config: configIn(config), uses })
}

/** The draft of a request body that contains no large one. Throws 400. */
function draftIn(ruleset: unknown): DraftRuleset {
  const { draft, problems } = decodeDraft(ruleset as Value)
  if (draft === undefined) throw invalidDocument(problems, '/ruleset')
  return draft
}

/** The draft of a request with everything that it refers to. */
export const sentSubject = (
  { subject }: SentDraft,
  references: Omit<SentSubject, 'draft' | 'draftText'>,
): SentSubject => ({
  ...references,
  ...subject,
})
