import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { en, type Texts } from './en.ts'

export const LANGUAGES = { en: 'English', zh: '简体中文' } as const
export type Language = keyof typeof LANGUAGES

const STORED = 'studio.language'

interface Chosen {
  readonly t: Texts
  readonly language: Language
  readonly choose: (language: Language) => void
}

const Context = createContext<Chosen>({ t: en, language: 'en', choose: () => undefined })

const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(LANGUAGES, text)

/** The selected language, otherwise the browser's first language that has texts. */
function firstLanguage(): Language {
  const stored = localStorage.getItem(STORED)
  if (isLanguage(stored)) return stored
  const known = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag): tag is Language => isLanguage(tag))
  return known ?? 'en'
}

/** English is part of the initial load; other languages are loaded when selected. */
const load: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: () => Promise.resolve(en),
  zh: async () => (await import('./zh.ts')).zh,
}

export function TextsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  const [t, setTexts] = useState<Texts | undefined>(language === 'en' ? en : undefined)
  useEffect(() => {
    let isCurrent = true
    void load[language]().then((texts) => isCurrent && setTexts(texts))
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : language
    return () => void (isCurrent = false)
  }, [language])
  const chosen = useMemo(
    () => ({
      t: t ?? en,
      language,
      choose(next: Language) {
        localStorage.setItem(STORED, next)
        setLanguage(next)
      },
    }),
    [t, language],
  )
  return t === undefined ? null : <Context value={chosen}>{children}</Context>
}

/** The texts of the selected language. */
export const useTexts = (): Texts => useContext(Context).t

/** The language setting, for its select box, and for times and numbers. */
export const useLanguage = () => useContext(Context)

/** A formatter for moments in the user's language. */
export function useTime(): (iso: string | null) => string {
  const { language, t } = useContext(Context)
  const format = useMemo(
    () => new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', { dateStyle: 'medium', timeStyle: 'short' }),
    [language],
  )
  return (iso) => (iso === null ? t.common.never : format.format(new Date(iso)))
}

/** Number formatters in the user's language. */
export interface NumberFormats {
  readonly number: (value: number) => string
  /** A share between 0 and 1 as a percentage with at most one decimal place. */
  readonly percent: (share: number) => string
  /** A difference, always with its sign. */
  readonly signed: (value: number) => string
}

/** Formatters for numbers, shares and differences in the user's language. */
export function useNumbers(): NumberFormats {
  const { language } = useContext(Context)
  return useMemo(() => {
    const tag = language === 'zh' ? 'zh-CN' : 'en-GB'
    const number = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 })
    const tenths = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 })
    const sign = language === 'zh' ? '%' : '\u00a0%'
    const signed = new Intl.NumberFormat(tag, { maximumFractionDigits: 2, signDisplay: 'exceptZero' })
    return {
      number: (value) => number.format(value),
      percent: (share) => tenths.format(100 * share) + sign,
      signed: (value) => signed.format(value),
    }
  }, [language])
}
