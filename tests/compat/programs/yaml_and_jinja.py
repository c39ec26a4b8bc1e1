# SPDX-License-Identifier: Apache-2.0
import jinja2
import yaml
data = yaml.safe_load("people:\n  - name: Ada\n    age: 36\n  - name: Alan\n    age: 41\n")
print(jinja2.Template("{% for p in people %}{{ p.name }}={{ p.age }};{% endfor %}").render(**data))
print(yaml.safe_dump(data, sort_keys=True))
