-- CloudEvents as a format of webhooks.
alter table webhooks drop constraint webhooks_format_check;
alter table webhooks add constraint webhooks_format_check
  check (format in ('json', 'slack', 'teams', 'cloudevents'));
