import { useMemo } from 'react'
import { useLanguage } from '../texts/texts.tsx'
import { type RolloutTexts, rollout as en } from '../texts/en/rollout.ts'
import { rollout as zh } from '../texts/zh/rollout.ts'

const TEXTS = { en, zh } as const

/** The texts of rollouts in the chosen language: no other page loads them. */
export const useRolloutTexts = (): RolloutTexts => TEXTS[useLanguage().language]

const DAY_MS = 24 * 3600 * 1000

/** A time of day: with seconds for events, and with the date if it is more than a day ago. */
export function useClock(hasSeconds = false): (iso: string | null) => string {
  const { language } = useLanguage()
  const formats = useMemo(() => {
    const tag = language === 'zh' ? 'zh-CN' : 'en-GB'
    const clock: Intl.DateTimeFormatOptions = {
      hour: '2-digit',
      minute: '2-digit',
      ...(hasSeconds && { second: '2-digit' }),
    }
    return [
      new Intl.DateTimeFormat(tag, clock),
      new Intl.DateTimeFormat(tag, { ...clock, day: 'numeric', month: 'short' }),
    ] as const
  }, [language, hasSeconds])
  return (iso) => {
    if (iso === null) return ''
    const at = new Date(iso)
    const [near, far] = formats
    return (Math.abs(Date.now() - at.getTime()) < DAY_MS ? near : far).format(at)
  }
}
