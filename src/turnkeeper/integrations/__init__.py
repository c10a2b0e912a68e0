"""turnkeeper in parts, behind the interfaces of other libraries; each module needs its own extra.

`langchain`: `pip install 'turnkeeper[langchain]'`. `llama_index`: `pip install 'turnkeeper[llama-index]'`.
"""
