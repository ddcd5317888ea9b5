import { integrations as en, type IntegrationTexts } from '../texts/en/integrations.ts'
import { useLanguage } from '../texts/texts.tsx'
import { integrations as zh } from '../texts/zh/integrations.ts'

const TEXTS = { en, zh } as const

/** The texts of webhooks and signing keys in the chosen language: no other page loads them. */
export const useIntegrationTexts = (): IntegrationTexts => TEXTS[useLanguage().language]
