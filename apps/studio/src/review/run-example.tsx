import { stringifyJson } from '@engine/expression'
import { answerValue } from '../api/answer-value.ts'
import type { components } from '../api/schema.ts'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { useReviewTexts } from './review-texts.ts'

/** Maximum length of an input in a URL: longer ones are truncated in transit. */
const MAX_LINKED = 1500

/**
 * A link that executes an example in the editor. Renders nothing if the input is too long for a URL, or if external
 * calls would need answers.
 */
export function RunExample({
  ruleset,
  witness: { input, stubs },
}: {
  readonly ruleset: string
  readonly witness: components['schemas']['Witness']
}) {
  const texts = useReviewTexts()
  const { oid, pid } = useIds()
  const linked = stringifyJson(answerValue(input))
  if (linked.length > MAX_LINKED || stubs !== undefined) return null
  return (
    <Go to={paths.ruleset(oid, pid, ruleset)} search={{ run: linked }} className="btn small" title={texts.openExample}>
      <Icon name="play" size={12} />
      {texts.run}
    </Go>
  )
}
