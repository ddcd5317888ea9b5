import { useLanguage } from '../texts/texts.tsx'
import { type PolicyTexts, policies as en } from '../texts/en/policies.ts'
import { policies as zh } from '../texts/zh/policies.ts'

const TEXTS = { en, zh } as const

/** The texts of release rules in the chosen language: no other page loads them. */
export const usePolicyTexts = (): PolicyTexts => TEXTS[useLanguage().language]
