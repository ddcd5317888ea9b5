import { environments as en, type EnvironmentTexts } from '../texts/en/environments.ts'
import { useLanguage } from '../texts/texts.tsx'
import { environments as zh } from '../texts/zh/environments.ts'

const TEXTS = { en, zh } as const

/** The texts of environments in the selected language; no other page loads them. */
export const useEnvironmentTexts = (): EnvironmentTexts => TEXTS[useLanguage().language]
