import { useMemo } from 'react'
import { useLanguage } from './texts.tsx'

/** Units in milliseconds, largest first. */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** The time since a moment, in its largest unit: `20 minutes ago`. */
export function useAgo(): (iso: string) => string {
  const { language } = useLanguage()
  const format = useMemo(
    () => new Intl.RelativeTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', { numeric: 'auto' }),
    [language],
  )
  return (iso) => {
    const span = Math.min(0, Date.parse(iso) - Date.now())
    const [unit, length] = UNITS.find(([, one]) => -span >= one) ?? (['second', 1000] as const)
    return format.format(Math.trunc(span / length), unit)
  }
}
