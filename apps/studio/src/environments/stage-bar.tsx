import { spanText } from '../rollout/progress.ts'
import { useRolloutTexts } from '../rollout/rollout-texts.ts'
import type { StagePlan } from './canary-values.ts'
import { useEnvironmentTexts } from './environment-texts.ts'

/** The stages of a rollout side by side: the width shows the duration, the darkness the share. */
export function StageBar({ stages }: { readonly stages: readonly StagePlan[] }) {
  const texts = useEnvironmentTexts()
  const { units } = useRolloutTexts()
  if (stages.length === 0)
    return (
      <span className="stage-line">
        <span data-share="all">{texts.allAtOnce}</span>
      </span>
    )
  const words = stages.map(({ percent, duration_s: seconds }) => `${percent} %, ${spanText(seconds * 1000, units)}`)
  return (
    <span className="stage-line" role="img" aria-label={texts.stagesLabel(words.join('; '))}>
      {stages.map(({ percent, duration_s: seconds }, index) => (
        <span
          key={index}
          data-share={percent < 10 ? 'few' : 'some'}
          title={words[index]}
          style={{ '--weight': 1 + Math.log10(1 + seconds / 60) }}
        >
          {percent} %
        </span>
      ))}
      <span data-share="everyone">{texts.everyone}</span>
    </span>
  )
}
