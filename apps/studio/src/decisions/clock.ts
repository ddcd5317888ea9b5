import { useMemo } from 'react'
import { useLanguage } from '../texts/texts.tsx'

const DAY_MS = 86_400_000

/** The time of a decision; with the day unless it was in the last 24 hours. */
export function useClock(): (at: number) => string {
  const { language } = useLanguage()
  return useMemo(() => {
    const tag = language === 'zh' ? 'zh-CN' : 'en-GB'
    const today = new Intl.DateTimeFormat(tag, { timeStyle: 'medium' })
    const other = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium' })
    return (at) => (Date.now() - at < DAY_MS ? today : other).format(at)
  }, [language])
}
