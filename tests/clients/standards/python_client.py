import json
import os

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

# Prints `<flag> <value> <error code>` a line.
token = os.environ["ENGINE_TOKEN"]
provider = OFREPProvider(
    os.environ["ENGINE_URL"], headers_factory=lambda: {"Authorization": f"Bearer {token}"}
)
api.set_provider(provider)
client = api.get_client()
context = EvaluationContext("ada", {"tier": "gold", "order": {"total": 12.5}})


def show(key, details):
    code = details.error_code.value if details.error_code else ""
    print(f"{key} {json.dumps(details.value, separators=(',', ':'))} {code}".strip())


for key in os.environ["BOOLEANS"].split():
    show(key, client.get_boolean_details(key, False, context))
for key in os.environ["TEXTS"].split():
    show(key, client.get_string_details(key, "other", context))
for key in os.environ["WHOLES"].split():
    show(key, client.get_integer_details(key, -1, context))
for key in os.environ["FRACTIONS"].split():
    show(key, client.get_float_details(key, -1.0, context))
for key in os.environ["OBJECTS"].split():
    show(key, client.get_object_details(key, {}, context))
